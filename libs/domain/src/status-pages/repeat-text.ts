import type { MaintenanceRepeat } from '@ledgerline/contracts/events/status-page.events';

const DAY_MINUTES = 24 * 60;

/** When a maintenance takes place, in a sentence: `Every Tuesday and Thursday 02:00–03:00, Europe/Berlin`. */
export function repeatText(repeat: MaintenanceRepeat): string {
  const { timezone, until } = repeat;
  return `${daysText(repeat)} ${timesText(repeat)}, ${timezone}${until === null ? '' : `, until ${until}`}`;
}

function daysText({ every, interval, weekdays, monthDay }: MaintenanceRepeat): string {
  const period = interval === 1 ? `Every ${every}` : `Every ${interval} ${every}s`;
  if (every === 'day') return period;
  if (every === 'month') return `${period} on ${monthDay === 'last' ? 'the last day' : `day ${monthDay ?? ''}`},`;
  const days = inWords(weekdays.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1)}`));
  return interval === 1 ? `Every ${days}` : `${period} on ${days},`;
}

const inWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/** From when to when; of a day and longer, for how long. */
function timesText({ startTime, durationMinutes }: MaintenanceRepeat): string {
  if (durationMinutes >= DAY_MINUTES) return `${startTime} for ${lengthText(durationMinutes)}`;
  const [hours = 0, minutes = 0] = startTime.split(':').map(Number);
  const end = (hours * 60 + minutes + durationMinutes) % DAY_MINUTES;
  return `${startTime}–${twoDigits(Math.floor(end / 60))}:${twoDigits(end % 60)}`;
}

function lengthText(minutes: number): string {
  const parts = [
    [Math.floor(minutes / DAY_MINUTES), 'd'],
    [Math.floor((minutes % DAY_MINUTES) / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(' ');
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
