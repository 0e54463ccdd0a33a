import type { QueryContext } from '../query-type';
import type { Span } from './series';

const FIVE_MINUTES_MS = 5 * 60_000;

/** The last five minutes, this millisecond included, whatever dates are asked for. */
export const lastFiveMinutes = ({ now }: Pick<QueryContext, 'now'>): Span => ({
  from: now - FIVE_MINUTES_MS,
  to: now + 1,
});
