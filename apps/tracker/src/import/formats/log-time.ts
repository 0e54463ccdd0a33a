import { parseInstant } from '@ledgerline/domain/time/instant';

/** A time as it is logged: in text, or as a number of seconds, or of thousandths, millionths or billionths of them. */
export type LogTime = string | number;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** `17/May/2015:10:00:00 +0000`, the time of the common format. */
const COMMON = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) ([+-]\d{4})$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
/** Seconds until the year 5138, the thousandths of which are the year 1973. */
const MAX_SECONDS = 1e11;

/** Epoch ms of a time of a log, which is UTC where it names no zone; undefined for what is none. */
export function readLogTime(time: LogTime = ''): number | undefined {
  if (typeof time === 'number') return timeOfNumber(time);
  if (NUMBER.test(time)) return timeOfNumber(Number(time));
  const [, day, month = '', year, clock, zone] = COMMON.exec(time) ?? [];
  if (day !== undefined) {
    const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
    return parseInstant(`${year}-${monthNumber}-${day}T${clock}${zone}`);
  }
  return time.includes(':') ? parseInstant(time.replace(/^(\d{4})\/(\d{2})\/(\d{2}) /, '$1-$2-$3 ')) : undefined;
}

function timeOfNumber(time: number): number | undefined {
  let seconds = time;
  while (seconds >= MAX_SECONDS && seconds < Infinity) seconds /= 1_000;
  const at = Math.round(seconds * 1_000);
  return Number.isSafeInteger(at) ? at : undefined;
}
