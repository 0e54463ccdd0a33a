import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { RowOf } from '@ledgerline/client';
import { Button } from '../../../components/button';
import { LineChart } from '../../../components/line-chart';
import { PageHeader } from '../../../components/page';
import { ErrorState, Skeleton } from '../../../components/states';
import { Table, type TableColumn } from '../../../components/table';
import { formatFigure } from '../format';
import { metricList, type ListDeclaration } from '../lists/declare-list';
import { ListTable, NoRows } from '../lists/list-table';
import { sharedSearch, useView } from '../view/use-view';
import { Warnings } from '../view/view-bar';
import { NAMED_EVENTS, Path } from '../visit/time-line';
import { VisitorsNow } from '../website-page';
import { liveRowsIn, useLive, type LiveData, type LiveState } from './use-live';

type View = ReturnType<typeof useView>;

/** Shows what happens on a website just now, and happened in the last half an hour. */
export function RealtimePage() {
  const view = useView();
  const [isPaused, setPaused] = useState(false);
  const { query, answer, state } = useLive(view.websiteId, isPaused);
  return (
    <div className="page analytics">
      <PageHeader
        title="Realtime"
        description="The last 30 minutes, of all visitors."
        actions={<VisitorsNow active={answer && liveRowsIn(answer, 'active_stats')[0]} />}
      />
      <div className="view-bar" role="group" aria-label="Updates">
        <span role="status">{STATES[state]}</span>
        <div className="view-bar view-state">
          <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            Pause
          </Button>
        </div>
      </div>
      {answer && <Warnings notes={answer.meta.notes} />}
      {answer === undefined && query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <LiveFigures answer={answer} view={view} />
      )}
    </div>
  );
}

const STATES: Readonly<Record<LiveState, string>> = {
  live: 'Shown as it happens',
  polled: 'Asked for every five seconds',
  lost: 'Not connected; the figures are old',
  paused: 'Paused',
};

const DIMENSIONS = [
  metricList('realtime_pages', {
    title: 'Pages',
    labels: { name: { header: 'Page', kind: 'path' } },
    figures: ['visitors', 'pageviews'],
    share: 'visitors',
  }),
  metricList('realtime_referrers', {
    title: 'Sources',
    labels: { name: { header: 'Source', kind: 'host' } },
    figures: ['visitors', 'pageviews'],
    share: 'visitors',
  }),
  metricList('realtime_countries', {
    title: 'Countries',
    labels: { name: { header: 'Country' } },
    figures: ['visitors', 'pageviews'],
    share: 'visitors',
  }),
];

interface FiguresProps {
  /** Undefined until there is one: everything has its place already. */
  readonly answer: LiveData | undefined;
  readonly view: View;
}

const LiveFigures = ({ answer, view }: FiguresProps) => (
  <>
    <section className="query-panel overview" aria-label="Visitors and page views by minute">
      {answer ? <Minutes rows={liveRowsIn(answer, 'realtime_velocity')} /> : <Skeleton lines={8} label="the chart" />}
    </section>
    <div className="query-panels three">
      {DIMENSIONS.map((each) => (
        <Panel key={each.type} title={each.title}>
          {answer && <Dimension list={each} rows={liveRowsIn(answer, each.type)} view={view} />}
        </Panel>
      ))}
    </div>
    <div className="query-panels">
      <Panel title="Events" isLong>
        {answer && <Feed rows={liveRowsIn(answer, 'realtime_feed')} />}
      </Panel>
      <Panel title="Sessions" isLong>
        {answer && <Sessions rows={liveRowsIn(answer, 'realtime_sessions')} view={view} />}
      </Panel>
    </div>
  </>
);

interface PanelProps {
  readonly title: string;
  readonly isLong?: boolean;
  readonly children: ReactNode;
}

const Panel = ({ title, isLong = false, children }: PanelProps) => (
  <section className="query-panel" aria-label={title}>
    <header className="query-panel-head">
      <h2>{title}</h2>
    </header>
    <div className={isLong ? 'query-panel-body long' : 'query-panel-body'}>
      {children ?? <Skeleton lines={8} label={title} />}
    </div>
  </section>
);

const Dimension = ({ list: declared, rows, view }: { list: ListDeclaration; rows: readonly object[]; view: View }) =>
  rows.length === 0 ? (
    <NoRows notes={[]} />
  ) : (
    <ListTable list={declared} rows={rows as readonly Record<string, unknown>[]} view={view} timeZone="UTC" />
  );

const count = (value: unknown) => formatFigure('count', value);

/** In the locale and time zone of the person. */
const minuteFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const secondFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const formatMinute = (label: string) => minuteFormat.format(new Date(label));

const Clock = ({ at }: { readonly at: string }) => <time dateTime={at}>{secondFormat.format(new Date(at))}</time>;

/** Drawn anew when a figure changes, not with each answer. */
function Minutes({ rows }: { readonly rows: readonly RowOf<'realtime_velocity'>[] }) {
  const key = JSON.stringify(rows);
  const { labels, series } = useMemo(() => {
    const minutes = JSON.parse(key) as typeof rows;
    const format = (value: number | null) => count(value);
    return {
      labels: minutes.map(({ minute }) => minute),
      series: [
        { name: 'Visitors', values: minutes.map(({ visitors }) => visitors), format, isWhole: true },
        { name: 'Page views', values: minutes.map(({ pageviews }) => pageviews), format, isWhole: true },
      ],
    };
  }, [key]);
  return (
    <div className="series-chart">
      <LineChart
        title="Visitors and page views by minute"
        labels={labels}
        current={labels.length - 1}
        formatLabel={formatMinute}
        formatTick={formatMinute}
        series={series}
      />
      <details className="chart-table">
        <summary>Show as table</summary>
        <Table
          caption="Visitors and page views by minute, as a table"
          columns={[
            { header: 'Time', cell: ({ minute }) => formatMinute(minute) },
            { header: 'Visitors', isNumber: true, cell: ({ visitors }) => count(visitors) },
            { header: 'Page views', isNumber: true, cell: ({ pageviews }) => count(pageviews) },
          ]}
          rows={rows.toReversed()}
          keyOf={({ minute }) => minute}
        />
      </details>
    </div>
  );
}

/** As long as its column is wide. */
const Cut = ({ children }: { readonly children: ReactNode }) => (
  <span className="bar">
    <span className="value">{children}</span>
  </span>
);

const FEED: readonly TableColumn<RowOf<'realtime_feed'>>[] = [
  {
    header: 'Event',
    cell: ({ event_name: name, path }) => (
      <Cut>
        <bdi>{NAMED_EVENTS[name] ?? name}</bdi> {path !== null && <Path raw={path} />}
      </Cut>
    ),
  },
  { header: 'Time', isNumber: true, cell: ({ timestamp }) => <Clock at={timestamp} /> },
  { header: 'Country', cell: ({ country }) => country },
];

/** Rows keep their places and change what they show: nothing in them can have the focus. */
function Feed({ rows }: { readonly rows: readonly RowOf<'realtime_feed'>[] }) {
  if (rows.length === 0) return <NoRows notes={[]} />;
  return <Table caption="Events, newest first" columns={FEED} rows={rows} keyOf={(row) => String(rows.indexOf(row))} />;
}

function Sessions({ rows, view }: { readonly rows: readonly RowOf<'realtime_sessions'>[]; readonly view: View }) {
  if (rows.length === 0) return <NoRows notes={[]} />;
  const { organizationId, websiteId, search } = view;
  const columns: readonly TableColumn<RowOf<'realtime_sessions'>>[] = [
    {
      header: 'Last page',
      cell: ({ session_id: sessionId, exit_path: path }) => (
        <Cut>
          <Link
            to="/organizations/$organizationId/websites/$websiteId/sessions/$sessionId"
            params={{ organizationId, websiteId, sessionId }}
            search={sharedSearch(search)}
          >
            <Path raw={path} />
          </Link>
        </Cut>
      ),
    },
    { header: 'Last event', isNumber: true, cell: ({ last_visit: at }) => <Clock at={at} /> },
    { header: 'Country', cell: ({ country }) => country },
    { header: 'Views', isNumber: true, cell: ({ page_views: views }) => count(views) },
  ];
  return (
    <Table caption="Sessions, by their last event" columns={columns} rows={rows} keyOf={(row) => row.session_id} />
  );
}
