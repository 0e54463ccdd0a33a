import type { LinkDto } from '@ledgerline/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { linksQuery, LINK_SORTS, type LinkFilter } from '../../api/links';
import { CursorPages } from '../../components/cursor-pages';
import { EmptyState } from '../../components/empty-state';
import { ErrorState } from '../../components/error-state';
import { PageHeader } from '../../components/page-header';
import { SearchInput } from '../../components/search-input';
import { Select } from '../../components/select';
import { Skeleton } from '../../components/skeleton';
import { Table } from '../../components/table';
import { linkColumns } from './link-columns';

const route = getRouteApi('/signed-in/organizations/$organizationId/links');

/** The short links of an organization, however many, in pages. */
export function LinksPage() {
  const { organizationId } = route.useParams();
  const filter = route.useSearch();
  const { data, error, refetch } = useQuery({
    ...linksQuery(organizationId, filter),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="page">
      <PageHeader
        title="Links"
        description={data && countOf(data)}
        actions={
          <>
            <Link className="button" to="/organizations/$organizationId/links/paste" params={{ organizationId }}>
              Paste many
            </Link>
            <Link className="button primary" to="/organizations/$organizationId/links/new" params={{ organizationId }}>
              New link
            </Link>
          </>
        }
      />
      <Filters filter={filter} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} label="links" />}
      {data && !error && <Rows links={data.data} filter={filter} organizationId={organizationId} />}
      {data && !error && <CursorPages cursor={filter.cursor} nextCursor={data.nextCursor} />}
    </div>
  );
}

/** Each change leads to the first page of what is asked for then. */
function Filters({ filter: { search = '', externalId = '', sort } }: { readonly filter: LinkFilter }) {
  const navigate = route.useNavigate();
  const change = (changed: LinkFilter) =>
    void navigate({ search: (others) => ({ ...others, cursor: undefined, ...changed }), replace: true });
  return (
    <div className="filters">
      <SearchInput
        label="Search"
        hint="Words of the name, short name or destination"
        value={search}
        onSearch={(text) => change({ search: text || undefined })}
      />
      <SearchInput
        label="External id"
        hint="Exactly as given"
        value={externalId}
        onSearch={(text) => change({ externalId: text || undefined })}
      />
      <Select
        label="Order"
        options={SORTS}
        value={sort ?? '-createdAt'}
        onChange={({ target }) => change({ sort: LINK_SORTS.find((each) => each === target.value) })}
      />
    </div>
  );
}

interface RowsProps {
  readonly links: readonly LinkDto[];
  readonly filter: LinkFilter;
  readonly organizationId: string;
}

function Rows({ links, filter, organizationId }: RowsProps) {
  if (links.length > 0)
    return <Table caption="Links" columns={linkColumns(organizationId)} rows={links} keyOf={({ id }) => id} />;
  if (filter.search !== undefined || filter.externalId !== undefined)
    return (
      <EmptyState title="No link matches">
        <p>A link is found by whole words of its name, short name and destination; the last one may be a beginning.</p>
      </EmptyState>
    );
  return (
    <EmptyState title={filter.cursor === undefined ? 'No links yet' : 'No further links'}>
      <p>A short link leads to its destination, and counts who follows it.</p>
    </EmptyState>
  );
}

function countOf({ total, totalIsExact }: { readonly total: number; readonly totalIsExact: boolean }): string {
  const count = total.toLocaleString('en');
  return `${totalIsExact ? count : `About ${count}`} ${total === 1 ? 'short link' : 'short links'}`;
}

const SORTS = [
  ['-createdAt', 'Newest first'],
  ['createdAt', 'Oldest first'],
  ['-updatedAt', 'Changed last'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
] as const satisfies readonly (readonly [(typeof LINK_SORTS)[number], string])[];
