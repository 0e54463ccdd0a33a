import { type MaintenanceRepeat, WEEKDAYS } from '@ledgerline/contracts/events/status-page.events';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * The times from begin to end of a repeating maintenance between two times, found by looking at a clock on the wall every
 * minute: a day's maintenance begins at the first minute that shows its date and time, or a later one.
 */
export function naiveOccurrences(
  repeat: MaintenanceRepeat,
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: repeat.timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const length = repeat.durationMinutes * MINUTE_MS;
  const begin = Math.floor((from - length) / MINUTE_MS) * MINUTE_MS - DAY_MS;
  const found: (readonly [number, number])[] = [];
  let latest = '';
  for (let minute = begin; minute < to; minute += MINUTE_MS) {
    const shown = clock.format(minute).replace(' ', 'T');
    if (shown <= latest) continue; // clocks went back
    const [date = ''] = shown.split('T');
    const wanted = `${date}T${repeat.startTime}`;
    // of a date that the loop begins in the middle of, the beginning was not seen
    if (latest !== '' && latest < wanted && wanted <= shown && takesPlaceOn(repeat, date)) {
      if (minute + length > from) found.push([minute, minute + length]);
    }
    latest = shown;
  }
  return found;
}

/** Counts from the first day on, one day after the other. */
function takesPlaceOn({ every, interval, weekdays, monthDay, from, until }: MaintenanceRepeat, day: string): boolean {
  if (day < from || (until !== null && day > until)) return false;
  let days = 0;
  let weeks = 0;
  let months = 0;
  for (let at = Date.parse(from); at < Date.parse(day); at += DAY_MS) {
    const next = new Date(at + DAY_MS);
    days++;
    if (next.getUTCDay() === 1) weeks++;
    if (next.getUTCDate() === 1) months++;
  }
  const date = new Date(day);
  if (every === 'day') return days % interval === 0;
  const weekday = WEEKDAYS[(date.getUTCDay() + 6) % 7];
  if (every === 'week') return weeks % interval === 0 && weekdays.some((each) => each === weekday);
  const isLast = new Date(date.getTime() + DAY_MS).getUTCDate() === 1;
  return months % interval === 0 && (monthDay === 'last' ? isLast : date.getUTCDate() === monthDay);
}
