import { tmpdir } from 'node:os';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { Semaphore } from '@ledgerline/platform/database/semaphore';
import { type EventStore, type RecordedEvent, decidedIn } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog, LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor, type ReaderPosition, type LogReader } from '@ledgerline/platform/log/log-reader';
import { type ReadStore, type StoreShare, WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import { linksGroup } from '../projections/links/links-group';
import { monitorsGroup } from '../projections/monitors/monitors-group';
import type { ProjectionGroup, WrittenTables } from '../projections/projection-group';
import { registryGroup } from '../projections/registry/registry-group';
import type { Dictionary } from '../projections/websites/dictionary';
import { WebsitesGroup } from '../projections/websites/websites-group';
import type { ParkedEvent } from './parked-events';
import { PartitionRunner, type LogRunner, type RunnerOptions } from './partition-runner';
import { type Retry, type RetryResult, readParkedEvent, retryParked } from './retry-parked';
import { GroupRunner, type LiveOptions, type LiveRunner } from './run-partition';

/** The projection groups that read the event store. */
const DECIDED_GROUPS: readonly ProjectionGroup<RecordedEvent>[] = [registryGroup()];

/** Returns the groups that read the intake log, for one read store. */
const observedGroups = (pool: Pool): readonly ProjectionGroup<LoggedHit>[] => [
  new WebsitesGroup(pool),
  linksGroup(),
  monitorsGroup(),
];

const TYPES = ['WebsiteRegistered'] as const;

/** The time zones of all websites by id, also of deleted ones: events have them, sessions do not. */
async function readZones(eventStore: LogReader<RecordedEvent>): Promise<ReadonlyMap<string, string>> {
  const zones = new Map<string, string>();
  let cursor = BEGINNING;
  let digest: ReaderPosition['digest'];
  for (;;) {
    const { events, next, atHead, ...read } = await eventStore.read(0, cursor, { max: 1_000, types: TYPES, digest });
    for (const { type, data } of decidedIn(events))
      if (type === 'WebsiteRegistered') zones.set(data.websiteId, data.timezone);
    if (atHead) return zones;
    cursor = next;
    digest = read.digest;
  }
}

/** A projection group together with the log it reads; the type of its events stays inside. */
export interface BoundGroup extends GroupSchema {
  readonly log: LogReader<unknown>;
  /** The types of the events that it projects. */
  readonly types: readonly string[];
  /** The pool of its tables and checkpoints. */
  readonly pool: Pool;
  /** The partitions of the log that it projects there; the registry projects all. */
  readonly share: StoreShare;
  /** The address at which threads of this process reach the log; absent = it is in the memory of this one. */
  readonly logUrl?: string | undefined;
  /** The time zones of all websites there ever were, by id; absent = they are in the events alone. */
  readonly zones?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  /** The directory in which a rebuild makes one for its files. */
  readonly spillTo: string;
  runner(options: RunnerOptions): LogRunner;
  /** Returns runners of partitions that are kept at the head of the log. */
  liveRunners(options: LiveOptions): (partition: number) => LiveRunner;
  retryParked(retry: Retry): Promise<RetryResult>;
  /** As the log has it. @throws RangeError if it does not any more */
  readParkedEvent(partition: number, parked: ParkedEvent): Promise<unknown>;
  readonly dictionary?: Dictionary | undefined;
  /** Writes what events of its log change in tables, which may be other ones than those of a version. */
  project(on: Queryable, tables: WrittenTables, events: readonly unknown[]): Promise<void>;
  /** The website, link, monitor or stream of an event of its log. */
  subjectOf(event: unknown): string;
  cursorOf(event: unknown): Cursor;
  /** Returns what erasures may be about in an event of its log. */
  hitIn(event: unknown): ObservedEvent | undefined;
  invalidateCaches(): void;
}

interface Sources {
  readonly eventStore: EventStore;
  readonly intakeLog: Pick<IntakeLog, keyof LogReader<unknown>>;
  /** The pool of the main database. */
  readonly pool: Pool;
  /** Absent = the main database is the only one. */
  readonly stores?: readonly ReadStore[];
  /** Where a rebuild spills hits to; absent = the directory of the system for temporary files. */
  readonly spillTo?: string;
}

/**
 * Batches written at once in one process. Each of their partitions computes its next batch meanwhile, and keeps at most
 * that one; a batch that was not computed ahead takes a turn for computing, too.
 */
const CONCURRENT_BATCHES = 2;

/** The pace of traffic; what a person has decided is visible at once, and what programs decide in a row nearly so. */
const TRAFFIC_PACE_MS = 400;
const DECIDED_PACE_MS = 50;

/** The registry's group in the main database, and those of traffic in each read store. */
export function boundGroups({
  eventStore,
  intakeLog,
  pool,
  stores = [{ ...WHOLE_LOG_SHARE, pool }],
  spillTo = tmpdir(),
}: Sources): readonly BoundGroup[] {
  const semaphore = new Semaphore(CONCURRENT_BATCHES);
  const rebuilding = { logUrl: pool.options.connectionString, zones: () => readZones(eventStore), spillTo };
  return [
    ...DECIDED_GROUPS.map((group) => bind(group, eventStore, pool, { semaphore, paceMs: DECIDED_PACE_MS })),
    ...stores.flatMap((store) => trafficGroups(intakeLog, store, rebuilding)),
  ];
}

/** A store that hangs holds up no batch of another: each has its own semaphore. */
function trafficGroups(
  intakeLog: Sources['intakeLog'],
  { pool, ...share }: ReadStore,
  rebuilding: Pick<BindOptions, 'logUrl' | 'zones' | 'spillTo'>,
): readonly BoundGroup[] {
  const options = {
    ...rebuilding,
    semaphore: new Semaphore(CONCURRENT_BATCHES),
    paceMs: TRAFFIC_PACE_MS,
    share,
  };
  return observedGroups(pool).map((group) => bind(group, intakeLog, pool, options));
}

interface BindOptions extends Partial<Pick<BoundGroup, 'logUrl' | 'zones' | 'spillTo'>> {
  readonly semaphore?: Semaphore;
  readonly paceMs?: number;
  readonly share?: StoreShare;
}

export function bind<Event>(
  group: ProjectionGroup<Event>,
  log: LogReader<Event>,
  pool: Pool,
  {
    semaphore = new Semaphore(CONCURRENT_BATCHES),
    paceMs = 0,
    share = WHOLE_LOG_SHARE,
    logUrl,
    zones,
    spillTo = tmpdir(),
  }: BindOptions = {},
): BoundGroup {
  return {
    name: group.name,
    builds: group.builds,
    state: group.state,
    dictionary: group.dictionary,
    log,
    types: group.types,
    pool,
    share,
    logUrl,
    zones,
    spillTo,
    runner: (options) => new PartitionRunner({ group, log, pool, semaphore, ...options }),
    liveRunners: (options) => {
      const runners = new GroupRunner({ group, log, pool, semaphore, paceMs, ...options });
      return (partition) => runners.runner(partition);
    },
    retryParked: (retry) => retryParked({ group, log, pool }, retry),
    readParkedEvent: (partition, parked) => readParkedEvent({ group, log, pool }, partition, parked),
    project: (on, tables, events) => project(group, on, tables, events as readonly Event[]), // of its log
    subjectOf: (event) => group.describe(event as Event).subject,
    cursorOf: (event) => group.cursorOf(event as Event),
    hitIn: (event) => group.hitIn?.(event as Event),
    invalidateCaches: () => group.invalidateCaches(),
  };
}

async function project<Event>(
  group: ProjectionGroup<Event>,
  on: Queryable,
  tables: WrittenTables,
  events: readonly Event[],
): Promise<void> {
  const compute = await group.prepare(events);
  const { statements } = await compute(on, tables);
  for (const statement of statements) await run(on, statement);
}
