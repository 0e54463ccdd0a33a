import type { VitalMeasured } from '@ledgerline/contracts/events/observed-events';
import { readPage } from '../../parse/page';
import { bad, type Payload } from './payload';
import { itemSchema, payloadOf } from './schema';
import { cleanText } from '../../parse/text';

type Metric = VitalMeasured['data']['metric'];

interface Vital {
  readonly path: string;
  readonly metricName: Metric;
  readonly metricValue: number;
}

const METRICS: readonly Metric[] = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'];
/** A day in milliseconds: no page takes longer to load, and sums stay finite. */
const MAX_VALUE = 86_400_000;

const check = itemSchema<Vital>(
  { path: { type: 'string' }, metricName: { enum: METRICS }, metricValue: { type: 'number', minimum: 0 } },
  ['path', 'metricName', 'metricValue'],
);

/** How fast or steady a page was for somebody. @throws BadItem */
export function readVital(item: unknown): Payload {
  const raw = check(item);
  const page = readPage(cleanText(raw.path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  const data = { path: page.path, metric: raw.metricName, value: Math.min(raw.metricValue, MAX_VALUE) };
  return payloadOf('vital', raw, { type: 'VitalMeasured', data });
}
