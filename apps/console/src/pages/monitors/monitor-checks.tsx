import type { ResponseTimesRow, UptimeByDayRow } from '@ledgerline/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { monitorChecksQuery } from '../../api/monitors';
import { Facts, Section } from '../../components/page-parts';
import { Tabs } from '../../components/tabs';
import { ErrorState, Skeleton } from '../../components/states';
import { Table, type Column } from '../../components/table';
import { percentText } from './monitor-state';

const route = getRouteApi('/signed-in/organizations/$organizationId/monitors/$monitorId');

const RANGES = [
  ['2', 'Since yesterday, by hour'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const;

const DAYS = { '2': 2, '7': 7, '30': 30 } as const;

/** What the checks showed, by hour or day of UTC. */
export function MonitorChecks({ monitorId }: { readonly monitorId: string }) {
  const { days: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const [shown] = RANGES.find(([days]) => days === wanted) ?? RANGES[0];
  return (
    <Section title="Checks" description="Hours and days are those of UTC.">
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
        <Facts
          facts={[
            ['Up', percentText(total.uptime_percentage)],
            ['Checks', total.total_checks],
            ['Failed', total.failed_checks],
            ['Downtimes', total.incidents],
            ['Down for', `${Math.round(total.downtime_seconds / 60)} min`],
          ]}
        />
      )}
      {rows.length > 0 ? (
        <Table caption="Checks by time" columns={COLUMNS} rows={rows} keyOf={({ date }) => date} />
      ) : (
        <p className="soft">No check counts in this range.</p>
      )}
    </div>
  );
}

const msText = (value: number | null | undefined): string => (value == null ? '–' : `${Math.round(value)} ms`);

const COLUMNS: readonly Column<Row>[] = [
  { header: 'From', cell: ({ date }) => date.replace(/:00$/, '') },
  { header: 'Up', cell: ({ uptime_percentage }) => percentText(uptime_percentage), isNumber: true },
  { header: 'Checks', cell: ({ total_checks }) => total_checks, isNumber: true },
  { header: 'Average', cell: ({ times }) => msText(times?.avg_response_time), isNumber: true },
  { header: 'Median', cell: ({ times }) => msText(times?.p50), isNumber: true },
  { header: '95 %', cell: ({ times }) => msText(times?.p95), isNumber: true },
];
