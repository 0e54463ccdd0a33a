import type { StatusPageDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isAtLeast, useOwnRole } from '../../api/members';
import { statusPagesQuery } from '../../api/status-pages';
import { Badge } from '../../components/badge';
import { EmptyState } from '../../components/empty-state';
import { PageHeader } from '../../components/page-header';
import { Table, type Column } from '../../components/table';
import { PublicLink } from './public-link';

const route = getRouteApi('/signed-in/organizations/$organizationId/status-pages');

export function StatusPagesPage() {
  const { organizationId } = route.useParams();
  const { data: pages } = useSuspenseQuery(statusPagesQuery(organizationId));
  const role = useOwnRole(organizationId);
  return (
    <div className="page">
      <PageHeader
        title="Status pages"
        description="What others see of your monitors"
        actions={
          isAtLeast(role, 'admin') && (
            <Link
              className="button primary"
              to="/organizations/$organizationId/status-pages/new"
              params={{ organizationId }}
            >
              New status page
            </Link>
          )
        }
      />
      {pages.length > 0 ? (
        <Table caption="Status pages" columns={COLUMNS} rows={pages} keyOf={({ id }) => id} />
      ) : (
        <EmptyState title="No status pages yet">
          <p>A status page shows how monitors are and were, and the incidents that you report.</p>
        </EmptyState>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<StatusPageDto>[] = [
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
    header: 'Found by',
    cell: ({ isPublic }) => (isPublic ? <Badge tone="good">Everybody</Badge> : <Badge tone="neutral">Nobody</Badge>),
  },
  { header: 'Monitors', cell: ({ monitorIds }) => monitorIds.length, isNumber: true },
  { header: 'Address', cell: (page) => <PublicLink page={page} /> },
];
