import { isDeepStrictEqual } from 'node:util';

/** Fields computed from a histogram may be 1 % off (docs/definitions.md); all others must be equal. */
export const WITHIN_ONE_PERCENT = new Set([
  'median_session_duration',
  'median_time_on_page',
  'median_time_to_first_interaction',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
]);

/**
 * Returns what is wrong with an answer, or undefined. Only the fields the oracle knows are compared. The API rounds
 * figures that are not exact to three digits; before that they are within 1 %.
 */
export function firstDifference(
  answered: readonly Record<string, unknown>[],
  expected: readonly Record<string, unknown>[],
  isRounded = false,
): string | undefined {
  if (answered.length !== expected.length) return `${answered.length} rows instead of ${expected.length}`;
  for (const [at, row] of expected.entries()) {
    for (const [field, value] of Object.entries(row)) {
      const actual = answered[at]?.[field];
      if (!same(field, actual, value, isRounded)) {
        return `row ${at}: ${field} is ${JSON.stringify(actual)} instead of ${JSON.stringify(value)}`;
      }
    }
  }
  return undefined;
}

type Row = Record<string, unknown>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** Between two figures that may each be 1 % off, and rounded, the change may be a little more off; a half may be rounded either way. */
function sameChange(field: string, actual: unknown, expected: unknown): boolean {
  if (actual === expected) return true;
  if (typeof actual !== 'number' || typeof expected !== 'number') return false;
  const allowed = WITHIN_ONE_PERCENT.has(field) ? 0.035 * (100 + Math.abs(expected)) : 0.0101;
  return Math.abs(actual - expected) <= allowed;
}

function same(field: string, actual: unknown, expected: unknown, isRounded: boolean): boolean {
  if (isDeepStrictEqual(actual, expected)) return true;
  if (field === 'previous' && isRow(actual) && isRow(expected))
    return firstDifference([actual], [expected], isRounded) === undefined;
  if (field === 'change_percent' && isRow(actual) && isRow(expected)) {
    return Object.entries(expected).every(([name, change]) => sameChange(name, actual[name], change));
  }
  if (typeof actual !== 'number' || typeof expected !== 'number') return false;
  const margin = field.startsWith('p') ? 1e-6 : 0.001; // durations are whole milliseconds
  if (WITHIN_ONE_PERCENT.has(field)) {
    if (isRounded && actual !== Number(actual.toPrecision(3))) return false;
    const rounding = isRounded && actual !== 0 ? 10 ** (Math.floor(Math.log10(actual)) - 2) / 2 : 0;
    return Math.abs(actual - expected) <= expected * 0.0101 + margin + rounding;
  }
  return Math.abs(actual - expected) < 1e-6;
}
