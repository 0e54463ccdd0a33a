import { average, buckets, type NaiveRequest } from './naive-request';
import type { Selection } from './naive-selection';
import { sorted, type Row } from './naive-website-answers';

type Answer = (selection: Selection, request: NaiveRequest) => Row[];
type Vitals = Selection['vitals'];

const METRICS = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'];

function percentile(values: readonly number[], share: number): number | null {
  const rank = Math.ceil(share * values.length);
  return [...values].sort((a, b) => a - b)[rank - 1] ?? null;
}

const valuesOf = (vitals: Vitals) => vitals.map(({ event }) => event.data.value);

function percentiles(vitals: Vitals, minSamples = 1): Row {
  const values = vitals.length < minSamples ? [] : valuesOf(vitals);
  const [p50, p75, p90, p95, p99] = [0.5, 0.75, 0.9, 0.95, 0.99].map((share) => percentile(values, share));
  return { p50, p75, p90, p95, p99, samples: vitals.length };
}

function byMetric(vitals: Vitals): [string, Vitals][] {
  const having = METRICS.filter((metric) => vitals.some(({ event }) => event.data.metric === metric));
  return having.map((metric) => [metric, vitals.filter(({ event }) => event.data.metric === metric)]);
}

/** Vitals of pages, straight from their definitions. */
export const vitalAnswers: Readonly<Record<string, Answer>> = {
  vitals_overview: ({ vitals }, { minSamples = 1 }) => {
    const rows: Row[] = byMetric(vitals).map(([metric_name, group]) => ({
      metric_name,
      ...percentiles(group),
      avg_value: average(valuesOf(group)),
    }));
    return sorted(
      rows.filter((row) => Number(row['samples']) >= minSamples),
      ['samples'],
      'metric_name',
    );
  },
  vitals_by_page: ({ vitals }, { minSamples = 1 }) => {
    const pages = [...new Set(vitals.map(({ event }) => event.data.path))];
    const rows: Row[] = pages.flatMap((page) =>
      byMetric(vitals.filter(({ event }) => event.data.path === page)).map(([metric_name, group]) => ({
        page,
        metric_name,
        ...percentiles(group),
      })),
    );
    const shown = rows.filter((row) => Number(row['samples']) >= minSamples);
    return sorted(sorted(shown, [], 'metric_name'), ['samples'], 'page');
  },
  vitals_time_series: ({ vitals }, request) => {
    const parts = buckets(request).map(({ date, has }) => ({
      date,
      here: vitals.filter(({ event }) => has(event.at)),
    }));
    const metrics = byMetric(parts.flatMap(({ here }) => here)).map(([metric]) => metric);
    return parts.flatMap(({ date, here }) => {
      return (metrics.length === 0 ? [null] : metrics).map((metric_name) => ({
        date,
        metric_name,
        ...percentiles(
          here.filter(({ event }) => event.data.metric === metric_name),
          request.minSamples,
        ),
      }));
    });
  },
};
