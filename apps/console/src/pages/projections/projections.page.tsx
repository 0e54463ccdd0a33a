import { useSuspenseQuery } from '@tanstack/react-query';
import { readinessQuery, type ReadinessData } from '../../api/projections';
import { PageHeader } from '../../components/page';
import { Badge, DescriptionList, Section, Time, type Tone } from '../../components/page-parts';
import { EmptyState, Notice } from '../../components/states';
import { Table, type TableColumn } from '../../components/table';

type Projection = ReadinessData['projections'][number];

/**
 * Shows how far the installation is with what it counts; of all organizations, as they share it, so it is for
 * operators.
 */
export function ProjectionsPage() {
  const { data: report } = useSuspenseQuery(readinessQuery);
  const [tone, state] = STATES[report.status];
  const hasStores = report.readStores.length > 1;
  return (
    <div className="page">
      <PageHeader
        title="System health"
        description="How far counting is behind the logs; refreshed every five seconds"
      />
      <Section title="The installation">
        {report.reason !== undefined && <Notice tone="warning">{report.reason}</Notice>}
        {report.degradations?.map(({ group, store, reason }) => (
          <Notice key={`${group} ${store ?? ''} ${reason}`} tone="warning">
            {group}: {reason}
          </Notice>
        ))}
        <DescriptionList
          facts={[
            [
              'State',
              <Badge key="state" tone={tone}>
                {state}
              </Badge>,
            ],
            ['Event store', stateOf(report.eventStore)],
            ['Database', stateOf(report.database)],
            ...report.readStores.map(({ store, status }) => [`Read store ${store}`, stateOf(status)] as const),
            ...report.processes.map(({ app, pid, status }) => [`${PROGRAMS[app]} ${pid}`, stateOf(status)] as const),
            ...(report.copier ? [['Copying from Kafka', stateOf(report.copier.status ?? 'ok')] as const] : []),
            ['Last backup', backupOf(report.backup)],
            ...(report.sealing ? [['Organizations without seals', report.sealing.length] as const] : []),
          ]}
        />
      </Section>
      {report.projections.length > 0 ? (
        <Table
          caption="Projections"
          columns={hasStores ? [...COLUMNS, STORE] : COLUMNS}
          rows={report.projections}
          keyOf={keyOf}
        />
      ) : (
        <EmptyState title="No projection yet">
          <p>The projector has not started yet.</p>
        </EmptyState>
      )}
    </div>
  );
}

const STATES: Readonly<Record<ReadinessData['status'], readonly [Tone, string]>> = {
  ok: ['good', 'Healthy'],
  degraded: ['warning', 'Some figures are missing or refused'],
  unavailable: ['danger', 'Something is stopped or away'],
};

const WORDS = {
  ok: ['good', 'In order'],
  empty: ['neutral', 'Empty'],
  down: ['danger', 'Away'],
  stopped: ['danger', 'Stopped'],
  rebuilding: ['warning', 'Rebuilding'],
  differs: ['danger', 'Differs from its log'],
  parked: ['warning', 'Dead letters wait'],
  silent: ['danger', 'No heartbeat'],
  unknown: ['warning', 'Unknown'],
} as const satisfies Readonly<Record<string, readonly [Tone, string]>>;

const PROGRAMS = { api: 'Api', tracker: 'Tracker', projector: 'Projector' } as const;

const backupOf = (backup: ReadinessData['backup']) =>
  backup === undefined ? (
    'None'
  ) : (
    <span key="backup">
      <Time at={backup.at} />
      {backup.verifiedAt === null ? ', never verified' : ', verified '}
      {backup.verifiedAt !== null && <Time at={backup.verifiedAt} />}
    </span>
  );

const stateOf = (status: keyof typeof WORDS) => <Badge tone={WORDS[status][0]}>{WORDS[status][1]}</Badge>;

const keyOf = ({ group, store }: Projection): string => `${group} ${store ?? ''}`;

const lagText = (ms: number): string => {
  if (ms === 0) return 'None';
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
};

const rebuildText = ({ rebuilt, events }: Projection): string =>
  rebuilt === undefined ? 'None' : `${Math.floor((rebuilt / Math.max(events, rebuilt, 1)) * 100)} % filled`;

const COLUMNS: readonly TableColumn<Projection>[] = [
  { header: 'Group', cell: ({ group }) => group },
  { header: 'State', cell: ({ status, reason }) => <span title={reason}>{stateOf(status)}</span> },
  { header: 'Version', cell: ({ version }) => version, isNumber: true },
  { header: 'Events', cell: ({ events }) => events.toLocaleString(), isNumber: true },
  { header: 'Rebuild', cell: rebuildText, isNumber: true },
  { header: 'Newest included event', cell: ({ asOf }) => (asOf === null ? '–' : <Time at={asOf} />) },
  { header: 'Dead letters', cell: ({ parked }) => parked ?? 0, isNumber: true },
  { header: 'Lag', cell: ({ lagMs }) => lagText(lagMs), isNumber: true },
];

const STORE: TableColumn<Projection> = { header: 'Read store', cell: ({ store }) => store ?? '–', isNumber: true };
