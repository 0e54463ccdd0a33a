import type { RowOf } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { websiteQuery } from '../../../api/website-query';
import { Tooltip } from '../../../components/overlays';
import { Table, type Column } from '../../../components/table';
import { formatFigure, UNKNOWN } from '../format';
import { Answered, AnswerMenu } from '../lists/answer';
import { Cell } from '../lists/cell';
import { NoRows } from '../lists/no-rows';
import { listNamed } from '../lists/lists';
import type { useView } from '../view/use-view';
import { describeVital, formatVital, RATINGS, ratingOf, VITALS } from './vital-metrics';

type View = ReturnType<typeof useView>;
type VitalRow = RowOf<'vitals_by_page'>;

/** Those with the most samples: of a few hundred pages. */
const ROWS = 1_000;

interface PageVitals {
  readonly page: string;
  readonly metrics: ReadonlyMap<string, VitalRow>;
}

/** A row for each page, with the 75th percentile of each metric. */
export function VitalsByPage({ view }: { readonly view: View }) {
  const list = listNamed('vitals_by_page');
  const scope = { ...view.scope, sortBy: 'samples', sortOrder: 'desc' } as const;
  const query = useQuery(websiteQuery(scope, { name: 'vitals_by_page', limit: ROWS }));
  const isCut = (query.data?.total ?? 0) > ROWS;
  return (
    <section className="query-panel full" aria-label={list.title} tabIndex={-1}>
      <Answered query={query} label={list.title} lines={12}>
        {({ rows, meta }) =>
          rows.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <Table
              caption={`${list.title}, as a table`}
              columns={columnsFor(rows, view, meta.timezone)}
              rows={byPage(rows)}
              keyOf={({ page }) => page}
            />
          )
        }
      </Answered>
      <footer className="query-panel-foot">
        <span className="soft">
          p75 of each page{isCut ? ', of those with the most samples; the export has all' : ''}
        </span>
        <AnswerMenu title={list.title} scope={scope} parameter={{ name: list.type }} />
      </footer>
    </section>
  );
}

function byPage(rows: readonly VitalRow[]): readonly PageVitals[] {
  const pages = Map.groupBy(rows, ({ page }) => page);
  return [...pages].map(([page, ofPage]) => ({
    page,
    metrics: new Map(ofPage.map((row) => [row.metric_name, row])),
  }));
}

function columnsFor(rows: readonly VitalRow[], view: View, timeZone: string): readonly Column<PageVitals>[] {
  const [first] = listNamed('vitals_by_page').columns;
  const metrics = [...VITALS.keys()].filter((metric) => rows.some((row) => row.metric_name === metric));
  return [
    {
      header: 'Page',
      cell: ({ page }) => first && <Cell column={first} row={{ page }} view={view} timeZone={timeZone} />,
    },
    ...metrics.map((metric) => ({
      header: metric,
      heading: <Tooltip text={describeVital(metric)}>{metric}</Tooltip>,
      isNumber: true,
      cell: (page: PageVitals) => <Rated metric={metric} p75={page.metrics.get(metric)?.p75} />,
    })),
    {
      header: 'Samples',
      isNumber: true,
      cell: ({ metrics: of }) => formatFigure('count', Math.max(...[...of.values()].map(({ samples }) => samples))),
    },
  ];
}

/** A figure in the colour of its rating, which screen readers and the tooltip name. */
const Rated = ({ metric, p75 }: { readonly metric: string; readonly p75: number | null | undefined }) => {
  const rating = ratingOf(metric, p75);
  if (!rating) return UNKNOWN;
  return (
    <span className={`rated ${rating}`} title={RATINGS[rating]}>
      {formatVital(metric, p75)}
      <span className="visually-hidden"> {RATINGS[rating]}</span>
    </span>
  );
};
