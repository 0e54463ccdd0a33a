import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { RadioTower } from 'lucide';
import type { StatusPageDto } from '@ledgerline/client';
import { ReadableAddress } from '../../addresses/address';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { statusPagesQuery } from '../../api/status-pages';
import { PageHeader } from '../../components/page';
import { Badge } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';

const route = getRouteApi('/signed-in/organizations/$organizationId/status-pages');

export function StatusPagesPage() {
  const { organizationId } = route.useParams();
  const { data: pages } = useSuspenseQuery(statusPagesQuery(organizationId));
  const role = useOwnRole(organizationId);
  const create = isAtLeast(role, 'admin') ? (
    <Link className="button primary" to="/organizations/$organizationId/status-pages/new" params={{ organizationId }}>
      New status page
    </Link>
  ) : undefined;
  return (
    <div className="page">
      <PageHeader
        title="Status pages"
        description="The state of your monitors, for others"
        actions={pages.length > 0 ? create : undefined}
      />
      {pages.length > 0 ? (
        <Table caption="Status pages" columns={COLUMNS} rows={pages} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No status pages yet" icon={RadioTower} action={create}>
          <p>A status page shows how monitors are and were, and the incidents that you report.</p>
        </EmptyState>
      )}
    </div>
  );
}

const COLUMNS: readonly TableColumn<StatusPageDto>[] = [
  {
    header: 'Name',
    cell: ({ id, name, organizationId }) => (
      <Link
        to="/organizations/$organizationId/status-pages/$statusPageId"
        params={{ organizationId, statusPageId: id }}
      >
        {name}
      </Link>
    ),
  },
  {
    header: 'Visibility',
    cell: ({ isPublic }) => (isPublic ? <Badge tone="good">Public</Badge> : <Badge tone="neutral">Private</Badge>),
  },
  { header: 'Monitors', cell: ({ monitorIds }) => monitorIds.length, isNumber: true },
  { header: 'Address', cell: (page) => <PublicLink page={page} /> },
];

/** The address of a status page, which can be opened while the page is public. */
export const PublicLink = ({ page: { url, isPublic } }: { readonly page: StatusPageDto }) =>
  isPublic ? (
    <a href={url} target="_blank" rel="noreferrer">
      <ReadableAddress raw={url} />
    </a>
  ) : (
    <ReadableAddress className="soft" raw={url} />
  );
