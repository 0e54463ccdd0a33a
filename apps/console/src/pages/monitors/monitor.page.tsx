import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { MonitorDto, ResponseTimesRow, UptimeByDayRow } from '@ledgerline/client';
import { ReadableAddress } from '../../addresses/address';
import { messageOf } from '../../api/failure';
import { type MonitorReportData, monitorChecksQuery, monitorReportsQuery, monitorsQuery } from '../../api/monitors';
import { isAtLeast, useOwnRole } from '../../api/organizations';
import { useUpdateRecord } from '../../api/record-changes';
import { Button } from '../../components/button';
import { DeleteButton } from '../../components/delete-button';
import type { Texts } from '../../components/form';
import { PageHeader } from '../../components/page';
import { DescriptionList, type FactsProps, FormSection, Section, Time } from '../../components/page-parts';
import { ErrorState, Skeleton } from '../../components/states';
import { type TableColumn, Table } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { notify } from '../../components/toasts';
import { MonitorFields, monitorIn } from './monitor-form.page';
import { MonitorNotifications } from './monitor-notifications';
import { DayBars, MonitorBadge, certificateText, failureText, uptimePercentText } from './monitors.page';

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
        description={<ReadableAddress raw={monitor.url} />}
        actions={mayChange && <MonitorActions monitor={monitor} />}
      />
      <Now monitor={monitor} report={report} />
      <MonitorChecks monitorId={monitorId} />
      {report && report.downtimes.length > 0 && <Downtimes downtimes={report.downtimes} />}
      {mayChange && <MonitorNotifications monitor={monitor} />}
      {mayChange && <Changes key={monitor.revision} monitor={monitor} />}
    </div>
  );
}

interface NowProps {
  readonly monitor: MonitorDto;
  readonly report: MonitorReportData | undefined;
}

const Now = ({ monitor, report }: NowProps) => (
  <Section title="Now">
    <DescriptionList
      facts={[
        ['Status', <MonitorBadge key="status" monitor={monitor} report={report} />],
        ['Last check', report?.lastCheckedAt ? <Time key="last" at={report.lastCheckedAt} /> : 'None yet'],
        ...(report ? troubleIn(report) : []),
        ['Uptime, 90 days', uptimePercentText(report?.uptimePercentage ?? null)],
        ['Interval', `${monitor.intervalSeconds} s`],
      ]}
    />
    {report && <DayBars name={monitor.name} days={report.dailyData} />}
  </Section>
);

const troubleIn = (report: MonitorReportData): FactsProps['facts'] => [
  ['Why it failed', report.failure && failureText(report)],
  ['Warning', report.warning && (report.detail ?? report.warning)],
  ['Certificate', report.certificateExpiresAt && certificateText(report.certificateExpiresAt)],
  ['Down since', report.downSince && <Time key="since" at={report.downSince} />],
];

function Changes({ monitor }: { readonly monitor: MonitorDto }) {
  const change = useUpdateRecord('/v1/monitors', monitor.id);
  const submit = (texts: Texts) => change.mutate(monitorIn(texts), { onSuccess: () => notify('The monitor is saved') });
  return (
    <FormSection title="Settings" change={change} onSubmit={submit} submit="Save the monitor" variant="primary">
      <MonitorFields monitor={monitor} />
    </FormSection>
  );
}

/** Pausing, which can be undone, and deletion. */
function MonitorActions({ monitor }: { readonly monitor: MonitorDto }) {
  const change = useUpdateRecord('/v1/monitors', monitor.id);
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
  return (
    <>
      <Button isBusy={change.isPending} onClick={pause}>
        {monitor.paused ? 'Resume' : 'Pause'}
      </Button>
      <DeleteButton
        path="/v1/monitors"
        record={monitor}
        onDeleted={() => void navigate({ to: '/organizations/$organizationId/monitors', params })}
      >
        <p>It is checked no longer, and status pages do not show it any more.</p>
      </DeleteButton>
    </>
  );
}

type Downtime = MonitorReportData['downtimes'][number];

/** Shows the downtimes of the last 90 days, the newest first. */
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

const COLUMNS: readonly TableColumn<Downtime>[] = [
  { header: 'Started', cell: ({ startedAt }) => timeOf(startedAt) },
  { header: 'Ended', cell: ({ endedAt }) => (endedAt === null ? 'Ongoing' : timeOf(endedAt)) },
  { header: 'Duration', cell: durationText, isNumber: true },
];

const RANGES = [
  ['2', 'Since yesterday'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const;

const DAYS = { '2': 2, '7': 7, '30': 30 } as const;

/** Shows what the checks showed, by hour or day of UTC. */
function MonitorChecks({ monitorId }: { readonly monitorId: string }) {
  const { days: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown] = RANGES.find(([days]) => days === wanted) ?? RANGES[0];
  return (
    <Section title="Checks" description="By hour or day of UTC.">
      <Tabs
        label="Range"
        tabs={RANGES}
        value={shown}
        onChange={(days) => void navigate({ search: { days }, replace: true })}
      >
        <ChecksOf monitorId={monitorId} days={DAYS[shown]} />
      </Tabs>
    </Section>
  );
}

interface Row extends UptimeByDayRow {
  readonly times: ResponseTimesRow | undefined;
}

function ChecksOf({ monitorId, days }: { readonly monitorId: string; readonly days: 2 | 7 | 30 }) {
  const { data, error, refetch } = useQuery(monitorChecksQuery(monitorId, days));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="the checks" />;
  const [summary, uptime, times] = data;
  const [total] = summary.data;
  const rows = uptime.data
    .filter(({ total_checks }) => total_checks > 0)
    .map((row) => ({ ...row, times: times.data.find(({ date }) => date === row.date) }))
    .toReversed();
  return (
    <div className="stack">
      {total && (
        <DescriptionList
          facts={[
            ['Up', uptimePercentText(total.uptime_percentage)],
            ['Checks', total.total_checks],
            ['Failed', total.failed_checks],
            ['Downtimes', total.incidents],
            ['Down for', `${Math.round(total.downtime_seconds / 60)} min`],
          ]}
        />
      )}
      {rows.length > 0 ? (
        <Table caption="Checks by time" columns={CHECK_COLUMNS} rows={rows} keyOf={({ date }) => date} />
      ) : (
        <p className="soft">No check counts in this range.</p>
      )}
    </div>
  );
}

const msText = (value: number | null | undefined): string => (value == null ? '–' : `${Math.round(value)} ms`);

const CHECK_COLUMNS: readonly TableColumn<Row>[] = [
  { header: 'From', cell: ({ date }) => date.replace(/:00$/, '') },
  { header: 'Up', cell: ({ uptime_percentage }) => uptimePercentText(uptime_percentage), isNumber: true },
  { header: 'Checks', cell: ({ total_checks }) => total_checks, isNumber: true },
  { header: 'Average', cell: ({ times }) => msText(times?.avg_response_time), isNumber: true },
  { header: 'Median', cell: ({ times }) => msText(times?.p50), isNumber: true },
  { header: '95 %', cell: ({ times }) => msText(times?.p95), isNumber: true },
];
