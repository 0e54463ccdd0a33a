import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { isAtLeast, useOwnRole } from '../../../api/organizations';
import { EmptyState } from '../../../components/states';
import { Table, type TableColumn } from '../../../components/table';
import { Tabs } from '../../../components/tabs';
import { formatBucket, formatFigure, UNKNOWN } from '../format';
import { Answered, AnswerMenu } from '../lists/answer';
import { NoRows } from '../lists/list-table';
import { useView } from '../view/use-view';
import { DEFAULT_PERIOD, PERIODS, type RetentionInterval } from '../view/view-search';
import { WebsitePage } from '../website-page';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/retention');

type View = ReturnType<typeof useView>;
type Row = RowOf<'retention'>;

/** Shows how many of those who came first in a day, week or month came back in those after it. */
export function RetentionPage() {
  const view = useView();
  const { period: asked = DEFAULT_PERIOD } = route.useSearch();
  const { visitorIdentity } = view.website;
  const periods = PERIODS.filter(([each]) => each !== 'month' || visitorIdentity === 'stable'); // ids of a month end with it
  const period = periods.some(([each]) => each === asked) ? asked : DEFAULT_PERIOD;
  return (
    <WebsitePage title="Retention" lead="Who comes back after the first visit." view={view}>
      {visitorIdentity !== 'daily' && (
        <Tabs label="Periods" tabs={periods} value={period} onChange={(next) => view.change({ period: next })}>
          <Cohorts period={period} view={view} />
        </Tabs>
      )}
      <VisitorIds view={view} />
    </WebsitePage>
  );
}

/** For how long visitors are recognized, and what that takes. */
function VisitorIds({ view: { organizationId, websiteId, website } }: { readonly view: View }) {
  const mayChange = isAtLeast(useOwnRole(organizationId), 'admin');
  const params = { organizationId, websiteId };
  const kept = (
    <>
      Where the script has <code>data-storage="local"</code> (
      <Link to="/organizations/$organizationId/websites/$websiteId/install" params={params}>
        Install
      </Link>
      ), visitors are recognized after their address or browser has changed, too.
    </>
  );
  if (website.visitorIdentity !== 'daily') return <p className="soft">{kept}</p>;
  const settings = (
    <Link className="button" to="/organizations/$organizationId/websites/$websiteId/settings" params={params}>
      Settings
    </Link>
  );
  return (
    <EmptyState title="No returning visitors" action={mayChange && settings}>
      The ids of visitors of this website end with the day. With ids of a month, or that stay, returns are counted from
      then on. {kept}
    </EmptyState>
  );
}

/** The most rows of an answer. */
const ROWS = 1_000;

/** A note of the api, without the name of its parameter before it. */
const UNFINISHED = /The \w+ of \S+ is not over.*/;

function Cohorts({ period, view }: { readonly period: RetentionInterval; readonly view: View }) {
  const parameter = { name: 'retention', period } as const;
  const query = useQuery(figuresQuery(view.scope, { ...parameter, limit: ROWS }));
  const isCut = (query.data?.total ?? 0) > ROWS;
  const unfinished = query.data?.meta.notes.flatMap((note) => UNFINISHED.exec(note)?.[0] ?? []) ?? [];
  return (
    <section className="query-panel full" aria-label="Retention">
      <Answered query={query} label="the retention" lines={10}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <Table
              caption="Visitors who came back, by when they first came"
              columns={columnsFor(rows, period)}
              rows={byCohort(rows)}
              keyOf={({ cohort }) => cohort}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">
          {[...(isCut ? ['The export has all of the range.'] : []), ...unfinished].join(' ')}
        </span>
        <AnswerMenu title="Retention" scope={view.scope} parameter={parameter} />
      </footer>
    </section>
  );
}

interface Cohort {
  /** Its first day. */
  readonly cohort: string;
  readonly visitors: number;
  readonly periods: ReadonlyMap<number, Row>;
}

const byCohort = (rows: readonly Row[]): readonly Cohort[] =>
  [...Map.groupBy(rows, ({ cohort }) => cohort)].map(([cohort, of]) => ({
    cohort,
    visitors: of[0]?.visitors ?? 0,
    periods: new Map(of.map((row) => [row.period, row])),
  }));

const HEADINGS: Readonly<Record<RetentionInterval, readonly [cohort: string, unit: string]>> = {
  day: ['First came on', 'Day'],
  week: ['First came in the week from', 'Week'],
  month: ['First came in the month from', 'Month'],
};

/** A column for each period after the first one, in which all of a cohort came. */
function columnsFor(rows: readonly Row[], period: RetentionInterval): readonly TableColumn<Cohort>[] {
  const [heading, unit] = HEADINGS[period];
  const last = Math.max(...rows.map((row) => row.period));
  return [
    {
      header: heading,
      cell: ({ cohort }) => (
        <span className="bar">
          <span className="value">{formatBucket(cohort)}</span>
        </span>
      ),
    },
    { header: 'Visitors', isNumber: true, cell: ({ visitors }) => formatFigure('count', visitors) },
    ...Array.from({ length: last }, (_, before) => ({
      header: `${unit} ${before + 1}`,
      isNumber: true,
      cell: ({ periods }: Cohort) => <Heat row={periods.get(before + 1)} />,
    })),
  ];
}

const SHADES = 5;

/** A share in a colour that only repeats it; absent where the period has not begun. */
const Heat = ({ row }: { readonly row: Row | undefined }) =>
  row === undefined ? (
    UNKNOWN
  ) : (
    <span className={`heat shade-${Math.ceil((row.percentage / 100) * SHADES)}`}>
      {formatFigure('percent', row.percentage)}
      <span className="visually-hidden">
        , {formatFigure('count', row.retained)} of {formatFigure('count', row.visitors)}
      </span>
    </span>
  );
