import { keepPreviousData, useInfiniteQuery, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Link2 } from 'lucide';
import { useCallback, useMemo, useState } from 'react';
import type { LinkDto } from '@ledgerline/client';
import { readableAddress } from '../../addresses/readable-address';
import { type OverviewAnswer, ever, overviewQuery, rowsIn } from '../../api/figures';
import { LINK_SORT_OPTIONS, linksQuery, type LinkListFilter } from '../../api/links';
import { tagsQuery } from '../../api/tags';
import { CopyButton } from '../../components/button';
import { EndlessTable } from '../../components/endless-table';
import { PageHeader } from '../../components/page';
import { Expiry, Time } from '../../components/page-parts';
import { Sparkline } from '../../components/sparkline';
import { EmptyState, ErrorState, Skeleton } from '../../components/states';
import type { TableColumn } from '../../components/table';
import { ComparedCount } from '../website/figures';
import { UNKNOWN } from '../website/format';
import { RangePicker, ViewOptions } from '../website/view/range-picker';
import { useSelection, type Selection } from '../website/view/use-view';
import { comparisonOf, granularityOf } from '../website/view/view-scope';
import { BROWSER_DAYS, TagClicks } from './link-clicks';
import { LinkFilters } from './link-filters';
import { LinkTags } from './link-tags';
import { SelectedLinks, selectColumn, type SelectedIds, useSelectedLinks } from './selected-links';

const route = getRouteApi('/signed-in/organizations/$organizationId/links');

/** The short links of an organization, however many. */
export function LinksPage() {
  const { organizationId } = route.useParams();
  const { search, externalId, tagId, sort, ...range } = route.useSearch();
  const filter = { search, externalId, tagId, sort: LINK_SORT_OPTIONS.find((each) => each === sort) };
  const view = useSelection(BROWSER_DAYS, range);
  const links = useLinks(organizationId, filter);
  const [isOpen, setOpen] = useState(false);
  const selected = useSelectedLinks();
  const { data, error, refetch } = links;
  return (
    <div className="page analytics">
      <PageHeader
        title="Links"
        description={data?.pages[0] && countOf(data.pages[0])}
        actions={
          <>
            <Link className="button" to="/organizations/$organizationId/links/tags" params={{ organizationId }}>
              Tags
            </Link>
            <Link className="button" to="/organizations/$organizationId/links/paste" params={{ organizationId }}>
              Paste many
            </Link>
            <Link className="button primary" to="/organizations/$organizationId/links/new" params={{ organizationId }}>
              New link
            </Link>
          </>
        }
      />
      <LinkFilters filter={filter} organizationId={organizationId}>
        <div className="view-bar" role="group" aria-label="Range">
          <RangePicker view={view} />
          <ViewOptions view={view} isDrawn={false} />
        </div>
      </LinkFilters>
      {tagId !== undefined && (
        <details className="more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Clicks on all links with this tag</summary>
          {isOpen && <TagClicks tagId={tagId} search={range} />}
        </details>
      )}
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} label="links" />}
      <SelectedLinks organizationId={organizationId} selected={selected} />
      {data && <Rows links={links} filter={filter} organizationId={organizationId} view={view} selected={selected} />}
    </div>
  );
}

const useLinks = (organizationId: string, filter: LinkListFilter) =>
  useInfiniteQuery({ ...linksQuery(organizationId, filter), placeholderData: keepPreviousData });

/** Asks what happened to the links of each page, in one request for each: by id, and why it is not known. */
function useFigures(pages: readonly { readonly data: readonly LinkDto[] }[], { scope, search }: Selection) {
  const parameters = [
    { name: 'link_unique_clicks' as const, ...comparisonOf(search) },
    { name: 'link_clicks_by_day' as const, granularity: granularityOf(search) },
    { name: 'link_last_click' as const, ...ever() },
  ];
  return useQueries({
    queries: pages.map(({ data }) => ({
      ...overviewQuery({ about: 'link', ids: data.map(({ id }) => id), ...scope, parameters }),
      enabled: data.length > 0,
      placeholderData: keepPreviousData,
    })),
    combine,
  });
}

const combine = (results: readonly UseQueryResult<ReadonlyMap<string, OverviewAnswer>>[]) => ({
  answers: new Map(results.flatMap(({ data }) => [...(data ?? [])])),
  failed: results.find(({ isError }) => isError),
});

interface RowsProps {
  readonly links: ReturnType<typeof useLinks>;
  readonly filter: LinkListFilter;
  readonly organizationId: string;
  readonly view: Selection;
  readonly selected: SelectedIds;
}

function Rows({ links, filter, organizationId, view, selected }: RowsProps) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = links;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const { answers, failed } = useFigures(data?.pages ?? [], view);
  const { data: tags = [] } = useQuery(tagsQuery(organizationId));
  const columns = useMemo(() => {
    const [name, ...others] = linkColumns(organizationId, (id) => answers.get(id));
    return [...(name ? [name] : []), ...(tags.length > 0 ? [selectColumn(selected)] : []), ...others];
  }, [organizationId, answers, tags, selected]);
  const loadMore = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  if (rows.length > 0)
    return (
      <>
        {failed?.error && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
        <EndlessTable
          caption="Links"
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          total={data?.pages[0]?.total ?? rows.length}
          hasMore={hasNextPage && !isFetching && !isError}
          onMore={loadMore}
        />
      </>
    );
  if ([filter.search, filter.externalId, filter.tagId].some((each) => each !== undefined))
    return (
      <EmptyState title="No link matches">
        <p>A link is found by whole words of its name, short name and destination; the last one may be a beginning.</p>
      </EmptyState>
    );
  return (
    <EmptyState
      title="No links yet"
      icon={Link2}
      action={
        <Link className="button primary" to="/organizations/$organizationId/links/new" params={{ organizationId }}>
          Create a link
        </Link>
      }
    >
      <p>A short link leads to its destination, and counts who follows it.</p>
    </EmptyState>
  );
}

function countOf({ total, totalIsExact }: { readonly total: number; readonly totalIsExact: boolean }): string {
  const count = total.toLocaleString();
  return `${totalIsExact ? count : `About ${count}`} ${total === 1 ? 'short link' : 'short links'}`;
}

/** Returns what the list shows of a link; undefined: it is not known yet. */
const linkColumns = (
  organizationId: string,
  answerOf: (id: string) => OverviewAnswer | undefined,
): readonly TableColumn<LinkDto>[] => [
  {
    header: 'Name',
    cell: ({ id, name, externalId, tagIds }) => (
      <>
        <Link
          className="clip"
          to="/organizations/$organizationId/links/$linkId"
          params={{ organizationId, linkId: id }}
          title={name}
        >
          {name}
        </Link>
        {externalId !== null && <Clipped className="soft" text={externalId} />}
        <LinkTags organizationId={organizationId} tagIds={tagIds} />
      </>
    ),
  },
  {
    header: 'Short address',
    cell: ({ shortUrl, slug }) => (
      <span className="with-copy">
        <Clipped text={`/${slug}`} />
        <CopyButton text={shortUrl} label={shortUrl} />
      </span>
    ),
  },
  {
    header: 'Clicks',
    isNumber: true,
    cell: ({ id }) => <ComparedCount row={rowsIn(answerOf(id), 'link_unique_clicks')[0]} field="total" />,
  },
  {
    header: 'Visitors by day',
    isNumber: true,
    cell: ({ id }) => <ComparedCount row={rowsIn(answerOf(id), 'link_unique_clicks')[0]} field="unique" />,
  },
  {
    header: 'Clicks over time',
    cell: ({ id, name }) => (
      <Sparkline
        label={`Clicks on ${name} over time`}
        values={rowsIn(answerOf(id), 'link_clicks_by_day').map(({ clicks }) => clicks)}
      />
    ),
  },
  {
    header: 'Last click',
    cell: ({ id }) => {
      const at = rowsIn(answerOf(id), 'link_last_click')[0]?.last_clicked;
      return at == null ? <span className="soft">{UNKNOWN}</span> : <Time at={at} />;
    },
  },
  { header: 'Destination', cell: ({ targetUrl }) => <Clipped text={readableAddress(targetUrl)} /> },
  {
    header: 'Expires',
    cell: ({ expiresAt }) => <Expiry at={expiresAt} isDay />,
  },
  { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} isDay /> },
];

interface ClippedProps {
  /** In the tooltip, too. */
  readonly text: string;
  readonly className?: string;
}

const Clipped = ({ text, className = '' }: ClippedProps) => (
  <span className={`clip ${className}`} title={text}>
    {text}
  </span>
);
