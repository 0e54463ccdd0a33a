import type { MonitorDto } from '@ledgerline/client';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Address } from '../../addresses/address';
import { messageOf } from '../../api/failure';
import {
  monitorReportsQuery,
  monitorsQuery,
  useChangeMonitor,
  useDeleteMonitor,
  type MonitorReport,
} from '../../api/monitors';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { Button } from '../../components/button';
import { ConfirmedButton } from '../../components/confirm-dialog';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { Facts, FormSection, Section, Time } from '../../components/page-parts';
import { Table, type Column } from '../../components/table';
import { notify } from '../../components/toasts';
import { MonitorChecks } from './monitor-checks';
import { MonitorFields, monitorIn } from './monitor-form.page';
import { certificateText, DayBars, failureText, MonitorBadge, percentText } from './monitor-state';

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
  const submit = (texts: Texts) => change.mutate(monitorIn(texts), { onSuccess: () => notify('The monitor is saved') });
  return (
    <FormSection title="Settings" change={change} onSubmit={submit} submit="Save the monitor" variant="primary">
      <MonitorFields monitor={monitor} />
    </FormSection>
  );
}

/** Pausing, which can be undone, and deletion. */
function MonitorActions({ monitor }: { readonly monitor: MonitorDto }) {
  const change = useChangeMonitor(monitor.id);
  const deletion = useDeleteMonitor(monitor.id);
  const navigate = useNavigate();
  const pause = () =>
    change.mutate(
      { paused: !monitor.paused },
      {
        onSuccess: () => notify(monitor.paused ? 'The monitor is checked again' : 'The monitor is paused'),
        onError: (error) => notify(messageOf(error)),
      },
    );
  const params = { organizationId: monitor.organizationId };
  const remove = () =>
    deletion.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/organizations/$organizationId/monitors', params }),
    });
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {monitor.paused ? 'Resume' : 'Pause'}
      </Button>
      <ConfirmedButton
        text="Delete"
        title={`Delete ${monitor.name}?`}
        action="Delete"
        change={deletion}
        onConfirm={remove}
      >
        <p>It is checked no longer, and status pages do not show it any more.</p>
      </ConfirmedButton>
    </>
  );
}

type Downtime = MonitorReport['downtimes'][number];

/** Of the last 90 days, the newest first. */
const Downtimes = ({ downtimes }: { readonly downtimes: readonly Downtime[] }) => (
  <Section title="Downtimes" description="Two failed checks in a row or more, in the last 90 days.">
    <Table
      caption="Each downtime"
      columns={COLUMNS}
      rows={downtimes.toReversed()}
      keyOf={({ startedAt }) => String(startedAt)}
    />
  </Section>
);

const timeOf = (at: number) => <Time at={new Date(at).toISOString()} />;

function durationText({ startedAt, endedAt }: Downtime): string {
  const minutes = Math.round(((endedAt ?? Date.now()) - startedAt) / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const COLUMNS: readonly Column<Downtime>[] = [
  { header: 'Began', cell: ({ startedAt }) => timeOf(startedAt) },
  { header: 'Ended', cell: ({ endedAt }) => (endedAt === null ? 'It goes on' : timeOf(endedAt)) },
  { header: 'Took', cell: durationText, isNumber: true },
];
