import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Info } from 'lucide';
import { useMemo } from 'react';
import type { RowOf } from '@ledgerline/client';
import { figuresQuery } from '../../../api/figures';
import { Icon } from '../../../components/button';
import { Tooltip } from '../../../components/overlays';
import { type TableColumn, Table } from '../../../components/table';
import { Bell, type BellSubject } from '../bell';
import { SeriesChart } from '../figures';
import { UNKNOWN, formatFigure } from '../format';
import { AnswerMenu, Answered } from '../lists/answer';
import { ListCell } from '../lists/cell';
import { NoRows } from '../lists/list-table';
import { listNamed } from '../lists/lists';
import type { useView } from '../view/use-view';
import { granularityOf } from '../view/view-scope';
import { RATINGS, VITALS, describeVital, formatVital, ratingOf } from './vital-metrics';

const route = getRouteApi('/signed-in/organizations/$organizationId/websites/$websiteId/$report');

/** The 75th percentile of each metric, and the course of one of them. */
export function Vitals({ view }: { readonly view: ReturnType<typeof useView> }) {
  const { metric: wanted } = route.useSearch();
  const overview = useQuery(figuresQuery(view.scope, { name: 'vitals_overview' }));
  const series = { name: 'vitals_time_series', granularity: granularityOf(view.search) } as const;
  const course = useQuery(figuresQuery(view.scope, series));
  const drawn = wanted ?? (overview.data && inOrder(overview.data.rows)[0]?.metric_name) ?? '';
  const all = course.data?.rows;
  const rows = useMemo(() => (all ?? []).filter(({ metric_name: metric }) => metric === drawn), [all, drawn]);
  return (
    <section className="query-panel overview" aria-label="Web vitals">
      <Answered query={overview} label="the vitals" lines={2}>
        {({ rows: metrics, meta }) =>
          metrics.length === 0 ? (
            <NoRows notes={meta.notes} />
          ) : (
            <dl className="figures">
              {inOrder(metrics).map((row) => (
                <VitalFigure
                  key={row.metric_name}
                  row={row}
                  isDrawn={row.metric_name === drawn}
                  onDraw={(metric) => view.change({ metric })}
                  bells={view}
                />
              ))}
            </dl>
          )
        }
      </Answered>
      {drawn !== '' && (
        <Answered query={course} label="the chart" lines={8}>
          {({ meta }) => (
            <SeriesChart
              timeZone={meta.timezone}
              title={`75th percentile of ${drawn} over time`}
              rows={rows}
              field="p75"
              kind={VITALS.get(drawn)?.kind}
              onSelect={(from, to) => view.select({ preset: undefined, from, to })}
              actions={<AnswerMenu title="the series" scope={view.scope} parameter={series} />}
              about={view.about}
            />
          )}
        </Answered>
      )}
    </section>
  );
}

interface VitalFigureProps {
  readonly row: RowOf<'vitals_overview'>;
  readonly isDrawn: boolean;
  /** After a metric was chosen, whose course is to be drawn. */
  readonly onDraw: (metric: string) => void;
  readonly bells: BellSubject;
}

const VitalFigure = ({ row: { metric_name: metric, p75, samples }, isDrawn, onDraw, bells }: VitalFigureProps) => (
  <div className={isDrawn ? 'figure drawn' : 'figure'}>
    <dt>
      {metric}
      <Tooltip
        label={`About ${metric}`}
        text={`${describeVital(metric)} The 75th percentile of all visits, within 1 %.`}
      >
        <Icon of={Info} />
      </Tooltip>
      {VITALS.has(metric) && <Bell {...bells} figure={metric.toLowerCase()} of={metric} />}
    </dt>
    <dd>
      <button type="button" className="figure-value" aria-pressed={isDrawn} onClick={() => onDraw(metric)}>
        ≈ {formatVital(metric, p75)}
      </button>
      <span className="figure-before rating">
        <Rating metric={metric} p75={p75} />
        <span className="soft">{sampled(samples)}</span>
      </span>
    </dd>
  </div>
);

const sampled = (samples: number): string =>
  `${formatFigure('count', samples)} ${samples === 1 ? 'sample' : 'samples'}`;

function Rating({ metric, p75 }: { readonly metric: string; readonly p75: number | null }) {
  const rating = ratingOf(metric, p75);
  return rating ? <span className={`rated ${rating}`}>{RATINGS[rating]}</span> : null;
}

const ORDER = [...VITALS.keys()];

/** The Core Web Vitals first. */
const inOrder = (rows: readonly RowOf<'vitals_overview'>[]): readonly RowOf<'vitals_overview'>[] =>
  rows.toSorted((one, other) => placeOf(one.metric_name) - placeOf(other.metric_name));

const placeOf = (metric: string): number => (ORDER.includes(metric) ? ORDER.indexOf(metric) : ORDER.length);

type View = ReturnType<typeof useView>;
type VitalRow = RowOf<'vitals_by_page'>;

/** The rows with the most samples: of a few hundred pages. */
const ROWS = 1_000;

interface PageVitals {
  readonly page: string;
  readonly metrics: ReadonlyMap<string, VitalRow>;
}

/** A row for each page, with the 75th percentile of each metric. */
export function VitalsByPage({ view }: { readonly view: View }) {
  const list = listNamed('vitals_by_page');
  const scope = { ...view.scope, sortBy: 'samples', sortOrder: 'desc' } as const;
  const query = useQuery(figuresQuery(scope, { name: 'vitals_by_page', limit: ROWS }));
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

function columnsFor(rows: readonly VitalRow[], view: View, timeZone: string): readonly TableColumn<PageVitals>[] {
  const [first] = listNamed('vitals_by_page').columns;
  const metrics = [...VITALS.keys()].filter((metric) => rows.some((row) => row.metric_name === metric));
  return [
    {
      header: 'Page',
      cell: ({ page }) => first && <ListCell column={first} row={{ page }} view={view} timeZone={timeZone} />,
    },
    ...metrics.map((metric) => ({
      header: metric,
      heading: <Tooltip text={describeVital(metric)}>{metric}</Tooltip>,
      isNumber: true,
      cell: (page: PageVitals) => <Rated row={page.metrics.get(metric)} />,
    })),
    {
      header: 'Samples',
      isNumber: true,
      cell: ({ metrics: of }) => formatFigure('count', Math.max(...[...of.values()].map(({ samples }) => samples))),
    },
  ];
}

/** A figure in the colour of its rating, which screen readers and the tooltip name, with its samples. */
const Rated = ({ row }: { readonly row: VitalRow | undefined }) => {
  const rating = row && ratingOf(row.metric_name, row.p75);
  if (!rating) return UNKNOWN;
  const said = `${RATINGS[rating]}, ${sampled(row.samples)}`;
  return (
    <span className={`rated ${rating}`} title={said}>
      {formatVital(row.metric_name, row.p75)}
      <span className="visually-hidden"> {said}</span>
    </span>
  );
};
