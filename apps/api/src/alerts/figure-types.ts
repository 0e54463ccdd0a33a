import { type Plan, aggregate, BUCKET } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { METRIC_FILTER, VITAL_METRICS } from '@ledgerline/contracts/attributes';
import type { Filter } from '@ledgerline/contracts/definitions';
import type { AlertFigure } from '@ledgerline/contracts/events/alert.events';
import { spanOf } from '@ledgerline/domain/query/buckets';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql } from '@ledgerline/platform/database/sql';
import {
  count,
  estimate,
  nullableField,
  numberCell,
  numberOrNull,
  ratio,
  secondsOf,
  textField,
} from '../query/declaration/fields';
import type { ComputeRow, ResultField, SqlRow } from '../query/declaration/fields';
import type { OptionName } from '../query/declaration/options';
import type { Question } from '../query/declaration/query-context';
import { type QueryType, queryType } from '../query/declaration/query-type';
import { bucketNumberSql, clicksIn } from '../query/sql/time';

/** How the figure of an alert is counted, in buckets of any time. */
interface FigureType {
  readonly type: QueryType;
  /** The figures of parts of a window add up to that of the window. */
  readonly isAdditive: boolean;
  /** Filters that it has of its own. */
  readonly filters?: readonly Filter[];
}

const by = { bucket: BUCKET };
const MICRO = 1_000_000;

interface SeriesOptions {
  readonly row?: ComputeRow;
  readonly options?: readonly OptionName[];
  readonly filters?: readonly (typeof METRIC_FILTER)[];
}

/** A series with a `figure` for each bucket, which no request can name. */
const seriesType = (
  name: AlertFigure,
  field: ResultField,
  plan: Plan | ((asked: Question) => Plan),
  { row, ...takes }: SeriesOptions = {},
): QueryType =>
  queryType({
    name: `alert_${name}`,
    shape: 'series',
    category: 'Alerts',
    description: 'The figure of an alert',
    takes,
    fields: { date: textField, figure: field },
    counting: { plan },
    ...(row && { row }),
  });

const sessions = aggregate({ ...AGGREGATES.sessions, by });
const { by: _, ...vitals } = AGGREGATES.vitals;

const figureOfBounces = (found: SqlRow) => {
  const all = numberCell(found, 'sessions');
  return { figure: all === 0 ? null : percentage(numberCell(found, 'bounces'), all) };
};

const figureOfVital = (found: SqlRow) => {
  const micros = numberOrNull(found, 'micros');
  return { figure: micros === null ? null : micros / MICRO };
};

const vital = (figure: 'lcp' | 'fcp' | 'cls' | 'inp' | 'ttfb', metric: (typeof VITAL_METRICS)[number]): FigureType => {
  const measures = { micros: { percentile: ['micros', 75] } } as const;
  const plan = aggregate({ ...vitals, only: 'passesMetricFilters', by, measures });
  return {
    type: seriesType(figure, estimate(ratio), plan, { row: figureOfVital, filters: [METRIC_FILTER] }),
    isAdditive: false,
    filters: [{ field: METRIC_FILTER, op: 'eq', value: metric }],
  };
};

const counted = (figure: AlertFigure, plan: Plan): FigureType => ({
  type: seriesType(figure, count, plan),
  isAdditive: true,
});

export const FIGURE_TYPES: Readonly<Record<AlertFigure, FigureType>> = {
  pageviews: counted('pageviews', aggregate({ ...AGGREGATES.views, by, measures: { figure: 'count' } })),
  visitors: {
    type: seriesType('visitors', count, aggregate({ ...AGGREGATES.views, by, measures: { figure: 'visitors' } })),
    isAdditive: false,
  },
  custom_events: counted(
    'custom_events',
    aggregate({ ...AGGREGATES.custom_events, by, measures: { figure: 'count' } }),
  ),
  errors: counted('errors', aggregate({ ...AGGREGATES.errors, by, measures: { figure: 'count' } })),
  conversions: {
    type: seriesType('conversions', count, ({ options }) => ({ kind: 'goalsByBucket', goals: options.goals ?? [] }), {
      row: (found) => ({ figure: numberCell(found, 'conversions') }),
      options: ['goals'],
    }),
    isAdditive: true,
  },
  lcp: vital('lcp', 'LCP'),
  fcp: vital('fcp', 'FCP'),
  cls: vital('cls', 'CLS'),
  inp: vital('inp', 'INP'),
  ttfb: vital('ttfb', 'TTFB'),
  bounce_rate: {
    type: seriesType('bounce_rate', nullableField(ratio), sessions, { row: figureOfBounces }),
    isAdditive: false,
  },
  session_duration: {
    type: seriesType('session_duration', estimate(ratio), sessions, {
      row: (found) => ({ figure: secondsOf(numberOrNull(found, 'median_ms')) }),
    }),
    isAdditive: false,
  },
  clicks: {
    type: queryType({
      name: 'alert_clicks',
      about: 'link',
      shape: 'series',
      category: 'Alerts',
      description: 'The figure of an alert',
      fields: { date: textField, figure: count },
      sources: {
        facts: (context) => sql`
select ${bucketNumberSql(context, sql`at`)} as bucket, count(*)::float8 as figure
from ${clicksIn(context, spanOf(context))}
group by 1`,
      },
    }),
    isAdditive: true,
  },
};
