import { percentage } from '@ledgerline/domain/query/rows';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { numberIn, numberOrNull, secondsOf } from '../../found';
import type { Found } from '../../query-type';

export const bounceRate = (found: Found): number => percentage(numberIn(found, 'bounces'), numberIn(found, 'sessions'));

/** Seconds; from a histogram within 1 %, from facts exact; null without sessions. */
export function medianDuration(found: Found): number | null {
  const bin = numberOrNull(found, 'median_bin');
  return secondsOf(bin === null ? numberOrNull(found, 'median_ms') : binValue(bin));
}

/** Seconds; null without sessions. */
export function averageDuration(found: Found): number | null {
  const sessions = numberIn(found, 'sessions');
  return sessions === 0 ? null : secondsOf(numberIn(found, 'duration_ms') / sessions);
}
