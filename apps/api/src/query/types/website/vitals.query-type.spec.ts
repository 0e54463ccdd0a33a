import { countedRows, seriesBetween } from '@test/query/selected-sessions';
import type { QueryType } from '../../declaration/query-type';
import { vitalsByPage, vitalsOverview, vitalsTimeSeries } from './vitals.query-type';

const LCP = 0;
const CLS = 2;
const measured = (at: number, metric: number, micros: number) => ({ at, path: 1, metric, micros });
const SESSIONS = [
  { units: { vitals: [measured(1, LCP, 40), measured(2, LCP, 10), measured(3, CLS, 7), measured(15, LCP, 20)] } },
];

const rowsOf = (type: QueryType, minSamples: number, metrics: readonly number[] = []) =>
  countedRows(type, SESSIONS, {
    given: {
      minSamples,
      from: 0,
      to: 20,
      series: seriesBetween(0, 10, 20),
      metricFilters: metrics.length === 0 ? [] : [{ field: 'metric_name', values: metrics, negated: false }],
    },
  });

it('vitals have the value at rank ⌈p · n⌉ as their percentile', () =>
  expect(rowsOf(vitalsOverview, 2)).toEqual([
    { metric: LCP, samples: 3, p50: 20, p75: 40, p90: 40, p95: 40, p99: 40, micros: 70, total_rows: 1 },
  ]));

it('vitals of too few samples are left out of lists', () =>
  expect(rowsOf(vitalsByPage, 1)).toMatchObject([
    { value: 1, metric: LCP, samples: 3 },
    { value: 1, metric: CLS, samples: 1 },
  ]));

it('vitals of too few samples keep their row in a series, without percentiles', () =>
  expect(rowsOf(vitalsTimeSeries, 2, [LCP])).toEqual([
    { bucket: 1, metric: LCP, samples: 2, p50: 10, p75: 40, p90: 40, p95: 40, p99: 40 },
    { bucket: 2, metric: LCP, samples: 1, p50: null, p75: null, p90: null, p95: null, p99: null },
  ]));
