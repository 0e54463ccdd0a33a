import { oneOf } from '../view/view-search';

/** How long the periods are in which visitors come back. */
export const PERIODS = [
  ['day', 'Days'],
  ['week', 'Weeks'],
  ['month', 'Months'],
] as const;

export type Period = (typeof PERIODS)[number][0];

export const DEFAULT_PERIOD = 'week' satisfies Period;

export const readRetention = (search: Record<string, unknown>): { period?: Period } => oneOf(search, 'period', PERIODS);
