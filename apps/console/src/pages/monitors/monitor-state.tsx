import type { MonitorDto } from '@ledgerline/client';
import type { MonitorReport } from '../../api/monitors';
import { Badge, type Tone } from '../../components/page-parts';

interface MonitorBadgeProps {
  readonly monitor: Pick<MonitorDto, 'paused'>;
  readonly report: MonitorReport | undefined;
}

/** How a monitor is now. */
export function MonitorBadge({ monitor, report }: MonitorBadgeProps) {
  if (monitor.paused && report?.currentStatus !== 'maintenance') return <Badge tone="neutral">Paused</Badge>;
  const [tone, text] = STATUSES[report?.currentStatus ?? 'unknown'];
  if (report?.currentStatus === 'degraded' && report.failure === null)
    return <Badge tone={tone}>{report.warning === 'slow' ? 'Slow' : 'The certificate ends soon'}</Badge>;
  if (text !== '') return <Badge tone={tone}>{text}</Badge>;
  return <Badge tone={tone}>{report?.lastCheckedAt ? 'Not checked lately' : 'Not checked yet'}</Badge>;
}

const STATUSES: Readonly<Record<MonitorReport['currentStatus'], readonly [Tone, string]>> = {
  up: ['good', 'Up'],
  degraded: ['warning', 'The last check failed'],
  down: ['danger', 'Down'],
  unknown: ['neutral', ''],
  maintenance: ['neutral', 'Under maintenance'],
};

const FAILURES: Readonly<Record<string, string>> = {
  address: 'Address of a private network',
  dns: 'DNS lookup failed',
  connection: 'Connection failed',
  tls: 'TLS failed',
  timeout: 'Timed out',
  redirects: 'Too many redirects',
  status: 'Unexpected status',
  text: 'Expected text is missing',
};

/** Why the newest check failed, for people; checks of earlier versions have no sentence. */
export const failureText = ({ failure, detail }: MonitorReport): string =>
  detail ?? (failure === null ? '' : (FAILURES[failure] ?? failure));

export function certificateText(expiresAt: string): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  const day = new Date(expiresAt).toLocaleDateString(undefined, { dateStyle: 'medium' });
  return days < 0 ? `Expired on ${day}` : `${days} days left, until ${day}`;
}

export const percentText = (value: number | null): string => (value === null ? 'No data' : `${value} %`);

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
