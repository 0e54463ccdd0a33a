import type { MonitorDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity } from 'lucide';
import { Address } from '../../addresses/address';
import { monitorReportsQuery, monitorsQuery, type MonitorReport } from '../../api/monitors';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { PageHeader } from '../../components/page';
import { Time } from '../../components/page-parts';
import { EmptyState } from '../../components/states';
import { Table, type Column } from '../../components/table';
import { MonitorBadge, percentText } from './monitor-state';

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors');

interface Row {
  readonly monitor: MonitorDto;
  /** Absent for one that was created after the reports were read. */
  readonly report: MonitorReport | undefined;
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
        description="Addresses that are checked"
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

const COLUMNS: readonly Column<Row>[] = [
  {
    header: 'Name',
    cell: ({ monitor: { id, name, organizationId } }) => (
      <Link to="/organizations/$organizationId/monitors/$monitorId" params={{ organizationId, monitorId: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Now', cell: MonitorBadge },
  { header: 'Address', cell: ({ monitor }) => <Address raw={monitor.url} /> },
  { header: 'Checked every', cell: ({ monitor }) => `${monitor.intervalSeconds} s`, isNumber: true },
  { header: 'Last check', cell: ({ report }) => (report?.lastCheckedAt ? <Time at={report.lastCheckedAt} /> : '–') },
  { header: 'Up in 90 days', cell: ({ report }) => percentText(report?.uptimePercentage ?? null), isNumber: true },
];
