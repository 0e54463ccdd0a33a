import type { Found } from './query-type';

/** A count out of a found row; nothing found is 0. Columns are cast to float8, so that they arrive as numbers. */
export function numberIn(found: Found, column: string): number {
  const value = found[column];
  return typeof value === 'number' ? value : 0;
}

export function numberOrNull(found: Found, column: string): number | null {
  const value = found[column];
  return typeof value === 'number' ? value : null;
}

export function textIn(found: Found, column: string): string {
  const value = found[column];
  return typeof value === 'string' ? value : '';
}

export function instantIn(found: Found, column: string): string | null {
  const value = found[column];
  return value instanceof Date ? value.toISOString() : null;
}

const MICRO = 1_000_000;

/** ms as seconds, to the microsecond. */
export const secondsOf = (ms: number | null): number | null =>
  ms === null ? null : Math.round((ms / 1000) * MICRO) / MICRO;
