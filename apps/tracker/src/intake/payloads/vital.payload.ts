import { METRICS } from '@ledgerline/contracts/read-models/website-vitals';
import { itemSchema, requiredAmount, requiredOneOf, requiredText, revision } from './fields';
import type { Payload } from './payload';
import { payloadOf, requiredPage } from './values';

/** A day in milliseconds: no page takes longer to load, and sums stay finite. */
const MAX_VALUE = 86_400_000;

const check = itemSchema({
  path: requiredText,
  metricName: requiredOneOf(METRICS),
  metricValue: requiredAmount,
  revision,
});

/** How fast or steady a page was for a visitor. @throws BadItem */
export function readVital(item: unknown): Payload {
  const raw = check(item);
  const { path } = requiredPage(raw.path);
  const data = { path, metric: raw.metricName, value: Math.min(raw.metricValue, MAX_VALUE) };
  return payloadOf('vital', raw, { type: 'VitalMeasured', data });
}
