import type { MonitorDto } from '@ledgerline/client';
import type { MonitorReport } from '../../api/monitors';
import { Badge, type Tone } from '../../components/badge';

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
  address: 'It leads to an address of a private network',
  dns: 'Its name has no address',
  connection: 'No connection',
  tls: 'No trusted TLS connection',
  timeout: 'No answer in time',
  redirects: 'Too many redirects, or one to no web address',
  status: 'An unexpected status',
  text: 'The expected text is missing',
};

/** Why the newest check failed, for people; checks of earlier versions have no sentence. */
export const failureText = ({ failure, detail }: MonitorReport): string =>
  detail ?? (failure === null ? '' : (FAILURES[failure] ?? failure));

export function certificateText(expiresAt: string): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  return days < 0 ? `Expired on ${expiresAt.slice(0, 10)}` : `${days} days left, until ${expiresAt.slice(0, 10)}`;
}

export const percentText = (value: number | null): string => (value === null ? 'No data' : `${value} %`);
