import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Globe } from 'lucide';
import { useMemo, type ReactNode } from 'react';
import type { RowOf, WebsiteDto } from '@ledgerline/client';
import { Host } from '../../addresses/address';
import { readableHost } from '../../addresses/readable-address';
import { type OverviewAnswer, overviewQuery, rowsIn } from '../../api/figures';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { websitesQuery } from '../../api/websites';
import { Input } from '../../components/field';
import { PageHeader } from '../../components/page';
import { Badge } from '../../components/page-parts';
import { Sparkline } from '../../components/sparkline';
import { EmptyState, ErrorState } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';
import { WebsiteMark } from '../../marks/website-mark';
import { ComparedCount, Figures } from '../website/figures';
import { formatFigure } from '../website/format';
import type { AnyRow } from '../website/lists/cell';
import { RangePicker, ViewOptions } from '../website/view/range-picker';
import { useSelection } from '../website/view/use-view';
import { comparisonOf, granularityOf } from '../website/view/view-scope';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites');

const REFRESH_MS = 30_000;

const OWN_DAYS = {
  target: {},
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  zoneText: 'Of each website',
};

/** The websites of an organization, with what happens on each. */
export function WebsitesPage() {
  const { organizationId } = route.useParams();
  const { organization } = route.useRouteContext();
  const { search = '' } = route.useSearch();
  const { data: websites } = useSuspenseQuery(websitesQuery(organizationId));
  const role = useOwnRole(organizationId);
  const create = isAtLeast(role, 'admin') ? (
    <Link className="button primary" to="/organizations/$organizationId/websites/new" params={{ organizationId }}>
      New website
    </Link>
  ) : undefined;
  const found = websites.filter((website) => matches(website, search));
  return (
    <div className="page analytics">
      <PageHeader
        title="Websites"
        description={`What ${organization.name} measures`}
        actions={websites.length > 0 ? create : undefined}
      />
      {websites.length > 0 && <Overview websites={websites} found={found} />}
      {found.length === 0 && <NoWebsites isSearched={search !== ''} create={create} />}
    </div>
  );
}

interface OverviewProps {
  readonly websites: readonly WebsiteDto[];
  /** The websites that are listed. */
  readonly found: readonly WebsiteDto[];
}

/** The range, what all websites have in it together, and a row for each. */
function Overview({ websites, found }: OverviewProps) {
  const { search: _, ...range } = route.useSearch();
  const view = useSelection(OWN_DAYS, range);
  const parameters = [
    { name: 'summary_metrics' as const, ...comparisonOf(range) },
    { name: 'events_by_date' as const, granularity: granularityOf(range) },
    'active_stats' as const,
  ];
  const { data, error, refetch } = useQuery({
    ...overviewQuery({ about: 'website', ids: websites.map(({ id }) => id), ...view.scope, parameters }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const columns = useMemo(() => websiteColumns((id) => data?.get(id)), [data]);
  return (
    <>
      <div className="toolbar">
        <Search />
        <div className="view-bar" role="group" aria-label="Range">
          <RangePicker view={view} />
          <ViewOptions view={view} isDrawn={false} />
        </div>
      </div>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {websites.length > 1 && <Sums answers={data && [...data.values()]} />}
      {found.length > 0 && <Table caption="Websites" columns={columns} rows={found} keyOf={({ id }) => id} />}
    </>
  );
}

/** Shows the sums of all websites together; undefined until they are known. */
function Sums({ answers }: { readonly answers: readonly OverviewAnswer[] | undefined }) {
  const failed = answers?.filter((answer) => rowsIn(answer, 'summary_metrics').length === 0).length ?? 0;
  return (
    <section className="query-panel" aria-label="All websites">
      <Figures label="All websites" row={answers && sumsOf(answers)} fields={SUMMED} />
      <p className="sums-note soft small">
        Page views are exact sums. Visitors are counted on each website: who visits two counts twice.
        {failed > 0 && ` Without ${failed} that could not be answered.`}
      </p>
    </section>
  );
}

const SUMMED = ['active_users', 'unique_visitors', 'pageviews'] as const;

type Summary = RowOf<'summary_metrics'>;

/** As one row of figures. */
function sumsOf(answers: readonly OverviewAnswer[]): AnyRow {
  const summaries = answers.flatMap((answer) => rowsIn(answer, 'summary_metrics'));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const before = summaries.flatMap(({ previous }) => previous ?? []);
  const of = (field: 'pageviews' | 'unique_visitors', rows: readonly Pick<Summary, typeof field>[]) =>
    sum(rows.map((row) => row[field]));
  const change = (field: 'pageviews' | 'unique_visitors') => {
    const now = of(field, summaries);
    const earlier = of(field, before);
    return earlier === 0 ? null : ((now - earlier) / earlier) * 100;
  };
  const compared = {
    previous: { pageviews: of('pageviews', before), unique_visitors: of('unique_visitors', before) },
    change_percent: { pageviews: change('pageviews'), unique_visitors: change('unique_visitors') },
  };
  return {
    active_users: sum(answers.flatMap((answer) => rowsIn(answer, 'active_stats').map((row) => row.active_users))),
    pageviews: of('pageviews', summaries),
    unique_visitors: of('unique_visitors', summaries),
    ...(before.length > 0 ? compared : {}),
  };
}

function Search() {
  const { search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Input
      label="Search"
      type="search"
      placeholder="Search name or domain"
      value={search}
      onChange={({ target }) =>
        void navigate({
          search: (before) => ({ ...before, search: target.value || undefined }),
          replace: true,
        })
      }
    />
  );
}

const NoWebsites = ({ isSearched, create }: { readonly isSearched: boolean; readonly create: ReactNode }) =>
  isSearched ? (
    <EmptyState title="No website matches">
      <p>Neither the name nor the domain of a website contains what you search for.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No websites yet" icon={Globe} action={create}>
      <p>Add one, put its script into its pages, and see visitors within seconds.</p>
    </EmptyState>
  );

const matches = ({ name, domain }: WebsiteDto, search: string): boolean =>
  `${name} ${domain} ${readableHost(domain)}`.toLowerCase().includes(search.toLowerCase());

/** Returns what the list shows of a website; undefined: it is not known yet. */
const websiteColumns = (answerOf: (id: string) => OverviewAnswer | undefined): readonly TableColumn<WebsiteDto>[] => [
  {
    header: 'Website',
    cell: (website) => <Name website={website} />,
  },
  {
    header: 'Visitors',
    isNumber: true,
    cell: ({ id }) => <ComparedCount row={rowsIn(answerOf(id), 'summary_metrics')[0]} field="unique_visitors" />,
  },
  {
    header: 'Page views',
    isNumber: true,
    cell: ({ id }) => <ComparedCount row={rowsIn(answerOf(id), 'summary_metrics')[0]} field="pageviews" />,
  },
  {
    header: 'Visitors over time',
    cell: ({ id, name }) => (
      <Sparkline
        label={`Visitors of ${name} over time`}
        values={rowsIn(answerOf(id), 'events_by_date').map(({ visitors }) => visitors)}
      />
    ),
  },
  {
    header: 'Now',
    isNumber: true,
    cell: ({ id }) => formatFigure('count', rowsIn(answerOf(id), 'active_stats')[0]?.active_users),
  },
  {
    header: 'Set up',
    cell: ({ id, name, organizationId }) => (
      <span className="row-actions">
        <Link
          className="button quiet"
          to="/organizations/$organizationId/websites/$websiteId/install"
          params={{ organizationId, websiteId: id }}
          aria-label={`Install the script on ${name}`}
        >
          Install
        </Link>
        <Link
          className="button quiet"
          to="/organizations/$organizationId/websites/$websiteId/settings"
          params={{ organizationId, websiteId: id }}
          aria-label={`Settings of ${name}`}
        >
          Settings
        </Link>
      </span>
    ),
  },
];

const Name = ({ website: { id, organizationId, name, domain, isPublic } }: { readonly website: WebsiteDto }) => (
  <span className="website-name">
    <WebsiteMark website={{ id, name }} />
    <span className="two-lines">
      <Link to="/organizations/$organizationId/websites/$websiteId" params={{ organizationId, websiteId: id }}>
        {name}
      </Link>
      <span>
        <Host raw={domain} /> {isPublic && <Badge tone="neutral">Public</Badge>}
      </span>
    </span>
  </span>
);
