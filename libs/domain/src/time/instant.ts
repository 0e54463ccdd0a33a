import { Rejection } from '@ledgerline/contracts/errors/rejection';
import { isCalendarDay } from './zones';

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:[.,]\d{1,9})?)?\s?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i;

const FIRST = Date.parse('0000-01-01T00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Epoch ms of a time in ISO 8601, of a day alone its beginning; without a zone it is UTC. Undefined for what is none, as a
 * 30 February or an hour 24, which `Date` takes for a later one.
 */
export function parseInstant(text: string): number | undefined {
  const [, day = '', minute = '00:00', second = ':00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (!isCalendarDay(day)) return undefined;
  const at = Date.parse(
    `${day}T${minute}${second.replace(',', '.')}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2').toUpperCase()}`,
  );
  return at >= FIRST && at <= LAST ? at : undefined; // a zone can move it beyond the years of four digits
}

/**
 * Requires that an expiry lies after the start of the command; null = never. The start counts and not the present, so
 * that a repeated command is decided as the first time. @throws Rejection
 */
export function assertFuture(expiresAt: string | null, startedAt: Date): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= startedAt.getTime()) throw new Rejection('EXPIRED', 'expiresAt');
}
