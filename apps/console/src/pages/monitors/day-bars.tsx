import type { MonitorReport } from '../../api/monitors';
import { percentText } from './monitor-badge';

type Day = MonitorReport['dailyData'][number];

/** A day with fewer successful checks than this share counts as a bad one. */
const BAD_BELOW = 99;

/** A bar for each of the last 90 days of UTC; pointing at it shows its figures. */
export const DayBars = ({ name, days }: { readonly name: string; readonly days: readonly Day[] }) => (
  <ol className="day-bars" aria-label={`Uptime of ${name} by day`}>
    {days.map((day) => (
      <li key={day.date} className={toneOf(day)} title={textOf(day)}>
        <span className="visually-hidden">{textOf(day)}</span>
      </li>
    ))}
  </ol>
);

const textOf = ({ date, uptime_percentage, total_checks }: Day): string =>
  uptime_percentage === null
    ? `${date}: no data`
    : `${date}: ${percentText(uptime_percentage)} of ${total_checks} checks`;

function toneOf({ uptime_percentage: uptime }: Day): string {
  if (uptime === null) return 'none';
  if (uptime === 100) return 'good';
  return uptime < BAD_BELOW ? 'danger' : 'warning';
}
