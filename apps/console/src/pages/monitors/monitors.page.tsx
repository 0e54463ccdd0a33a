import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Activity } from 'lucide';
import type { MonitorDto } from '@ledgerline/client';
import { ReadableAddress } from '../../addresses/address';
import { type MonitorReportData, monitorReportsQuery, monitorsQuery } from '../../api/monitors';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { PageHeader } from '../../components/page';
import { Badge, Time, type Tone } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';

interface MonitorBadgeProps {
  readonly monitor: Pick<MonitorDto, 'paused'>;
  readonly report: MonitorReportData | undefined;
}

/** Shows how a monitor is now. */
export function MonitorBadge({ monitor, report }: MonitorBadgeProps) {
  if (monitor.paused && report?.currentStatus !== 'maintenance') return <Badge tone="neutral">Paused</Badge>;
  const [tone, text] = STATUSES[report?.currentStatus ?? 'unknown'];
  if (report?.currentStatus === 'degraded' && report.failure === null)
    return <Badge tone={tone}>{report.warning === 'slow' ? 'Slow' : 'The certificate ends soon'}</Badge>;
  if (text !== '') return <Badge tone={tone}>{text}</Badge>;
  return <Badge tone={tone}>{report?.lastCheckedAt ? 'Not checked lately' : 'Not checked yet'}</Badge>;
}

const STATUSES: Readonly<Record<MonitorReportData['currentStatus'], readonly [Tone, string]>> = {
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
export const failureText = ({ failure, detail }: MonitorReportData): string =>
  detail ?? (failure === null ? '' : (FAILURES[failure] ?? failure));

export function certificateText(expiresAt: string): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  const day = new Date(expiresAt).toLocaleDateString(undefined, { dateStyle: 'medium' });
  return days < 0 ? `Expired on ${day}` : `${days} days left, until ${day}`;
}

export const uptimePercentText = (value: number | null): string => (value === null ? 'No data' : `${value} %`);

type Day = MonitorReportData['dailyData'][number];

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
    : `${date}: ${uptimePercentText(uptime_percentage)} of ${total_checks} checks`;

function toneOf({ uptime_percentage: uptime }: Day): string {
  if (uptime === null) return 'none';
  if (uptime === 100) return 'good';
  return uptime < BAD_BELOW ? 'danger' : 'warning';
}

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors');

interface Row {
  readonly monitor: MonitorDto;
  /** Absent for one that was created after the reports were read. */
  readonly report: MonitorReportData | undefined;
}

/** The monitors of an organization, with how they are now. */
export function MonitorsPage() {
  const { organizationId } = route.useParams();
  const { data: monitors } = useSuspenseQuery(monitorsQuery(organizationId));
  const { data: reports } = useSuspenseQuery(monitorReportsQuery(organizationId));
  const role = useOwnRole(organizationId);
  const rows = monitors.map((monitor) => ({ monitor, report: reports.find(({ id }) => id === monitor.id) }));
  const create = isAtLeast(role, 'admin') ? (
    <Link className="button primary" to="/organizations/$organizationId/monitors/new" params={{ organizationId }}>
      New monitor
    </Link>
  ) : undefined;
  return (
    <div className="page">
      <PageHeader
        title="Monitors"
        description="Uptime checks of your services"
        actions={rows.length > 0 ? create : undefined}
      />
      {rows.length > 0 ? (
        <Table caption="Monitors" columns={COLUMNS} rows={rows} keyOf={({ monitor }) => monitor.id} />
      ) : (
        <EmptyState title="No monitors yet" icon={Activity} action={create}>
          <p>A monitor asks for an address every minute or so, and counts when it fails.</p>
        </EmptyState>
      )}
    </div>
  );
}

const COLUMNS: readonly TableColumn<Row>[] = [
  {
    header: 'Name',
    cell: ({ monitor: { id, name, organizationId } }) => (
      <Link to="/organizations/$organizationId/monitors/$monitorId" params={{ organizationId, monitorId: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Now', cell: MonitorBadge },
  { header: 'Address', cell: ({ monitor }) => <ReadableAddress raw={monitor.url} /> },
  { header: 'Interval', cell: ({ monitor }) => `${monitor.intervalSeconds} s`, isNumber: true },
  { header: 'Last check', cell: ({ report }) => (report?.lastCheckedAt ? <Time at={report.lastCheckedAt} /> : '–') },
  {
    header: 'Uptime, 90 days',
    cell: ({ report }) => uptimePercentText(report?.uptimePercentage ?? null),
    isNumber: true,
  },
];
