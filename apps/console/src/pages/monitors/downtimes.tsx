import type { MonitorReport } from '../../api/monitors';
import { Section } from '../../components/section';
import { Table, type Column } from '../../components/table';
import { Time } from '../../components/time';

type Downtime = MonitorReport['downtimes'][number];

/** Of the last 90 days, the newest first. */
export const Downtimes = ({ downtimes }: { readonly downtimes: readonly Downtime[] }) => (
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
