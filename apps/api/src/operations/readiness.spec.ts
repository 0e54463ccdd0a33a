import type { ProcessRow, StoreState } from '@ledgerline/platform/processes/store-checks';
import type { LiveCheckpoint } from '@ledgerline/platform/read-stores/projection-states';
import { Findings, type WaitingPartition } from './findings';
import { reportOf } from './readiness';

describe('readiness, by what polls know', () => {
  it('does not flap over a hundred rounds of polls that take 2.5 s each', async () => {
    const statuses = new Set<string>();
    for (let rounds = 0; rounds < 100; rounds++) {
      const round = polled();
      await noticed();
      for (let waited = 0; waited < 2_500; waited += 500) {
        if (rounds > 0) statuses.add(status());
        clock += 500;
      }
      answerAll();
      await round;
      statuses.add(status());
      clock += 2_000;
    }
    expect([...statuses]).toEqual(['ok']);
  });

  it('is degraded by a finding that was not read for ten seconds, and shows its last value and its age', async () => {
    await known();
    readWaiting = () => new Promise(() => undefined); // as of a table that is locked
    for (let seconds = 0; seconds < 12; seconds += 2) await pollRest();
    const report = reportOf(findings, self());
    expect(report).toMatchObject({
      status: 'degraded',
      projections: [{ group: 'websites', lagMs: 70 }],
      degradations: [
        {
          kind: 'unknown',
          group: 'lag',
          store: 1,
          reason: 'How long events have been waiting has been unknown for 12 s.',
        },
      ],
    });
    expect(report.findings).toContainEqual({ finding: 'lag', store: 1, status: 'unknown', ageMs: 12_000 });
    expect(report.findings.filter(({ status: each }) => each === 'unknown')).toHaveLength(1);
  });

  it('says how far sealing is behind, and is degraded by half a minute', async () => {
    sealingLag = 30_000;
    await known();
    expect(reportOf(findings, self())).toMatchObject({ status: 'ok', sealingLagMs: 30_000 });
    sealingLag = 45_000;
    await known();
    expect(reportOf(findings, self())).toMatchObject({
      status: 'degraded',
      sealingLagMs: 45_000,
      degradations: [
        {
          kind: 'sealing',
          group: 'sealing',
          reason: 'The oldest event that sealing has not come to has been waiting for 45 s.',
        },
      ],
    });
  });

  it('is unavailable once nothing was read for thirty seconds', async () => {
    await known();
    clock += 30_000;
    expect(status()).toBe('degraded');
    clock += 1;
    expect(reportOf(findings, self())).toMatchObject({
      status: 'unavailable',
      reason: 'Nothing has been known for 30 s.',
    });
  });

  it('is degraded before anything was read', () => {
    expect(reportOf(findings, self())).toMatchObject({
      status: 'degraded',
      readStores: [{ store: 1, status: 'unknown' }],
    });
  });

  it('is unavailable while a store is down, however new the findings are', async () => {
    await known();
    const down: StoreState = { store: 'database', operation: 'read', reason: 'It does not answer.', since: null };
    expect(reportOf(findings, self([down]))).toMatchObject({
      status: 'unavailable',
      reason: 'An api cannot read the database: It does not answer.',
      database: 'down',
      readStores: [{ store: 1, status: 'down' }],
    });
  });
});

let clock = 0;
let sealingLag: number | undefined;
let readWaiting: () => Promise<readonly WaitingPartition[]>;
let findings: Findings;
let answers: (() => void)[] = [];

const answerAll = () => answers.splice(0).forEach((answer) => answer());
const noticed = () => new Promise(setImmediate);
const polled = () => Promise.all(findings.all.map(({ poll }) => poll.once()));
const status = () => reportOf(findings, self()).status;

async function known(): Promise<void> {
  const round = polled();
  await noticed();
  answerAll();
  await round;
}

/** Polls what is left: what is asked without an answer goes on being asked. */
async function pollRest(): Promise<void> {
  void polled();
  await noticed();
  clock += 2_000;
  answerAll();
  await noticed();
}

const processOf = (app: ProcessRow['app'], stores: readonly StoreState[] = []): ProcessRow => ({
  id: app,
  app,
  host: 'here',
  pid: 7,
  stores,
  silentMs: 0,
});

const self = (stores: readonly StoreState[] = []): ProcessRow => processOf('api', stores);

const CHECKPOINT: LiveCheckpoint = {
  group: 'websites',
  version: 1,
  partition: 0,
  cursor: '',
  events: 3,
  asOf: null,
  stopped: null,
  rebuilt: null,
  parked: 0,
  parkedSince: null,
  parkedBeside: 0,
  parkedBesideSince: null,
  pending: [],
  differs: false,
};

beforeEach(() => {
  clock = 0;
  sealingLag = undefined;
  answers = [];
  const later = <T>(value: T) => new Promise<T>((resolve) => answers.push(() => resolve(value)));
  readWaiting = () => later([{ ...CHECKPOINT, lagMs: 70 }]);
  const store = {
    place: 1,
    isMain: true,
    checkpoints: () => later([CHECKPOINT]),
    waiting: () => readWaiting(),
    reconciliations: () => later([]),
  };
  const reads = {
    registry: () => later([]),
    registryWaiting: () => later([]),
    registryReconciliations: () => later([]),
    processes: () => later([processOf('tracker'), processOf('projector')]),
    sealing: () => later([]),
    sealingLag: () => later(sealingLag),
    warnings: () => later([]),
    copier: () => later(undefined),
    monitors: () => later({ monitors: 0, since: null }),
    deliveries: () => later({ destinations: 0, heldBack: 0, off: 0, setAside: 0, isCopy: false, standsStillMs: 0 }),
    backup: () => later(undefined),
    stores: [store],
  };
  findings = new Findings(reads, () => clock);
});
