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

/** Why the newest check failed, for people. */
export const failureText = ({ failure }: MonitorReport): string =>
  failure === null ? '' : (FAILURES[failure] ?? failure);

export const percentText = (value: number | null): string => (value === null ? 'No data' : `${value} %`);
