import type { MonitorDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Address } from '../../addresses/address';
import { isAtLeast, useOwnRole } from '../../api/members';
import { monitorReportsQuery, monitorsQuery, useChangeMonitor, type MonitorReport } from '../../api/monitors';
import { Facts } from '../../components/facts';
import { Form } from '../../components/form';
import { FormActions } from '../../components/form-actions';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { notify } from '../../components/toasts';
import { DayBars } from './day-bars';
import { Downtimes } from './downtimes';
import { MonitorActions } from './monitor-actions';
import { certificateText, failureText, MonitorBadge, percentText } from './monitor-badge';
import { MonitorChecks } from './monitor-checks';
import { MONITOR_FIELDS, MonitorFields, monitorIn } from './monitor-fields';

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors/$monitorId');

export function MonitorPage() {
  const { organizationId, monitorId } = route.useParams();
  const { data: monitors } = useSuspenseQuery(monitorsQuery(organizationId));
  const { data: reports } = useSuspenseQuery(monitorReportsQuery(organizationId));
  const mayChange = isAtLeast(useOwnRole(organizationId), 'admin');
  const monitor = monitors.find(({ id }) => id === monitorId);
  const report = reports.find(({ id }) => id === monitorId);
  if (!monitor) return null; // it is being deleted
  return (
    <div className="page">
      <PageHeader
        title={monitor.name}
        description={<Address raw={monitor.url} />}
        actions={mayChange && <MonitorActions monitor={monitor} />}
      />
      <Now monitor={monitor} report={report} />
      <MonitorChecks monitorId={monitorId} />
      {report && report.downtimes.length > 0 && <Downtimes downtimes={report.downtimes} />}
      {mayChange && <Changes key={monitor.revision} monitor={monitor} />}
    </div>
  );
}

interface NowProps {
  readonly monitor: MonitorDto;
  readonly report: MonitorReport | undefined;
}

const Now = ({ monitor, report }: NowProps) => (
  <Section title="Now">
    <Facts
      facts={[
        ['Status', <MonitorBadge key="status" monitor={monitor} report={report} />],
        ['Last check', report?.lastCheckedAt ? <Time key="last" at={report.lastCheckedAt} /> : 'None yet'],
        ...(report?.failure ? [['Why it failed', failureText(report)] as const] : []),
        ...(report?.warning ? [['Warning', report.detail ?? report.warning] as const] : []),
        ...(report?.certificateExpiresAt
          ? [['Certificate', certificateText(report.certificateExpiresAt)] as const]
          : []),
        ...(report?.downSince ? [['Down since', <Time key="since" at={report.downSince} />] as const] : []),
        ['Up in 90 days', percentText(report?.uptimePercentage ?? null)],
        ['Checked every', `${monitor.intervalSeconds} s`],
      ]}
    />
    {report && <DayBars name={monitor.name} days={report.dailyData} />}
  </Section>
);

function Changes({ monitor }: { readonly monitor: MonitorDto }) {
  const change = useChangeMonitor(monitor.id);
  const submit = (texts: Readonly<Record<string, string>>) =>
    change.mutate(monitorIn(texts), { onSuccess: () => notify('The monitor is saved') });
  return (
    <Section title="Settings">
      <Form onSubmit={submit} error={change.error} fields={MONITOR_FIELDS}>
        <MonitorFields monitor={monitor} error={change.error} />
        <FormActions submit="Save the monitor" variant="primary" isBusy={change.isPending} />
      </Form>
    </Section>
  );
}
