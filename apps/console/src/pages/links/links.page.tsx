import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { linksQuery, LINK_SORTS, type LinkFilter } from '../../api/links';
import { EmptyState } from '../../components/empty-state';
import { EndlessTable } from '../../components/endless-table';
import { ErrorState } from '../../components/error-state';
import { PageHeader } from '../../components/page-header';
import { SearchInput } from '../../components/search-input';
import { Select } from '../../components/select';
import { Skeleton } from '../../components/skeleton';
import { linkColumns } from './link-columns';

const route = getRouteApi('/signed-in/organizations/$organizationId/links');

/** The short links of an organization, however many. */
export function LinksPage() {
  const { organizationId } = route.useParams();
  const filter = route.useSearch();
  const links = useLinks(organizationId, filter);
  const { data, error, refetch } = links;
  return (
    <div className="page">
      <PageHeader
        title="Links"
        description={data?.pages[0] && countOf(data.pages[0])}
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
      {data && <Rows links={links} filter={filter} organizationId={organizationId} />}
    </div>
  );
}

function Filters({ filter: { search = '', externalId = '', sort } }: { readonly filter: LinkFilter }) {
  const navigate = route.useNavigate();
  const change = (changed: LinkFilter) =>
    void navigate({ search: (others) => ({ ...others, ...changed }), replace: true });
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

const useLinks = (organizationId: string, filter: LinkFilter) =>
  useInfiniteQuery({ ...linksQuery(organizationId, filter), placeholderData: keepPreviousData });

interface RowsProps {
  readonly links: ReturnType<typeof useLinks>;
  readonly filter: LinkFilter;
  readonly organizationId: string;
}

function Rows({ links, filter, organizationId }: RowsProps) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = links;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const columns = useMemo(() => linkColumns(organizationId), [organizationId]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  if (rows.length > 0)
    return (
      <EndlessTable
        caption="Links"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        total={data?.pages[0]?.total ?? rows.length}
        hasMore={hasNextPage && !isFetching && !isError}
        onMore={loadMore}
      />
    );
  if (filter.search !== undefined || filter.externalId !== undefined)
    return (
      <EmptyState title="No link matches">
        <p>A link is found by whole words of its name, short name and destination; the last one may be a beginning.</p>
      </EmptyState>
    );
  return (
    <EmptyState title="No links yet">
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
