import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { isServerError, isShuttingDown, isUnavailable, orUnavailable } from '../database/database-errors';
import { pipelinedTransaction, run, type Queryable, runPrepared } from '../database/pool';
import { sql, identifier, joinSql, type Sql } from '../database/sql';
import { LogUnavailable, OutcomeUnknown } from '../log/log-reader';
import {
  decideAppend,
  lastOf,
  recordedOf,
  type AppendDecision,
  type PlacedEvent,
  toExpected,
  type CheckedAppend,
  type CheckedEvent,
  chainHash,
  GENESIS,
} from './appended-events';
import { streamOrganization, type AppendResult, type Hash, type StreamName } from './event-store';
import { eventColumns, rowToRecordedEvent, type EventRow } from './postgres-reads';

const UNIQUE_VIOLATION = '23505';
const RETRY_AFTER_MS = 200;

/** Appends in the order in which they must be stored. */
type Sequence = readonly CheckedAppend[];

/** Writes groups of appends, each in one transaction. */
export class PostgresAppender {
  constructor(private readonly pool: Pool) {}

  /**
   * Appends that are written in order, each only if those before it are stored; the results end with the first conflict.
   * @throws LogUnavailable when nothing was stored, OutcomeUnknown when that cannot be known; anything else may be the
   *   fault of a single sequence
   */
  async flush(sequences: readonly Sequence[]): Promise<AppendResult[][]> {
    const tried = new Set<CheckedAppend>();
    try {
      return await this.attempt(sequences, tried);
    } catch (error) {
      if (isUnavailable(error)) return this.retry(sequences, tried, isInDoubt(error, tried));
      const [sequence, ...others] = sequences;
      if (sequence && others.length === 0 && isDuplicateId(error)) return [await this.oneByOne(sequence)];
      throw error;
    }
  }

  /** `tried` collects what was about to be written: found stored later, it is this call's own and no replay. */
  private async attempt(sequences: readonly Sequence[], tried: Set<CheckedAppend>): Promise<AppendResult[][]> {
    const before = new Set(tried);
    const decisions = await pipelinedTransaction(this.pool, (client) =>
      appendGroup(client, sequences, (append) => tried.add(append)),
    );
    return sequences.map((sequence, at) =>
      (decisions[at] ?? []).map((decision, n) => toResult(decision, before.has(sequence[n] as CheckedAppend))),
    );
  }

  private async retry(
    sequences: readonly Sequence[],
    tried: Set<CheckedAppend>,
    wasInDoubt: boolean,
  ): Promise<AppendResult[][]> {
    await setTimeout(RETRY_AFTER_MS);
    try {
      return await this.attempt(sequences, tried);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const Failure = wasInDoubt || isInDoubt(error, tried) ? OutcomeUnknown : LogUnavailable;
      throw new Failure('The event store cannot be reached just now.', { cause: error });
    }
  }

  /** One of the event ids is stored elsewhere. */
  private async oneByOne([first, ...rest]: Sequence): Promise<AppendResult[]> {
    if (first === undefined) return [];
    if (rest.length === 0) return [await this.conflict(first)];
    const [results = []] = await this.flush([[first]]);
    if (!results.every(({ ok }) => ok)) return results;
    const [following = []] = await this.flush([rest]);
    return [...results, ...following];
  }

  private async conflict({ stream, expected }: CheckedAppend): Promise<AppendResult> {
    const [row] = await orUnavailable('The event store', () =>
      run<{ revision: number }>(this.pool, sql`select revision from streams where name = ${stream}`),
    );
    return { ok: false, conflict: toExpected(row?.revision ?? expected) };
  }
}

/**
 * Decides on appends inside a transaction, and returns what writes them: a decision for each, in order, up to the first
 * conflict of its sequence.
 * TRICKY: locks are taken in one order everywhere (streams by name, organizations by id, the global head last), and
 * nothing slow happens after the head: it orders all writers, and its release at commit makes position order the order
 * in which events become visible.
 */
export async function appendGroup(
  client: Queryable,
  sequences: readonly Sequence[],
  onWrite: (append: CheckedAppend) => void = () => undefined,
): Promise<() => Promise<AppendDecision[][]>> {
  const appends = sequences.flat();
  const [revisions, chains] = await Promise.all([
    lockStreams(client, [...new Set(appends.map(({ stream }) => stream))]),
    lockChains(client, [...new Set(appends.map(({ organization }) => organization))]),
  ]);
  const suspects = appends.filter(({ stream, expected }) => expected !== revisions.get(stream));
  const stored = await readEvents(
    client,
    suspects.flatMap(({ events }) => events.map(({ id }) => id)),
  );
  const written: PlacedEvent<CheckedEvent>[] = [];
  const decide = (append: CheckedAppend): AppendDecision => {
    const decision = decideAppend(append, revisions.get(append.stream) ?? -1, stored);
    if (decision.outcome !== 'write') return decision;
    onWrite(append);
    for (const placed of decision.placed) {
      stored.set(placed.event.id, placed);
      revisions.set(placed.stream, placed.revision);
      written.push(placed);
    }
    return decision;
  };
  const decisions = sequences.map((sequence) => upToConflict(sequence, decide));
  return async () => {
    if (written.length > 0) await writeEvents(client, appendToChain(written, chains), chains, revisions);
    return decisions;
  };
}

function upToConflict(sequence: Sequence, decide: (append: CheckedAppend) => AppendDecision): AppendDecision[] {
  const decisions: AppendDecision[] = [];
  for (const append of sequence) {
    const decision = decide(append);
    decisions.push(decision);
    if (decision.outcome === 'conflict') break;
  }
  return decisions;
}

/** Hangs the events on their organizations' chains, which it moves on. */
function appendToChain(written: readonly PlacedEvent<CheckedEvent>[], chains: Map<string, Chain>): ChainedEvent[] {
  return written.map((placed) => {
    const organization = streamOrganization(placed.stream);
    const chain = chains.get(organization);
    if (!chain) throw new Error(`No chain of ${organization} is locked.`);
    const previousHash = chain.hash;
    chain.hash = chainHash({ ...placed.event, stream: placed.stream, revision: placed.revision }, previousHash);
    chain.revision += 1;
    return { placed, organization, chainRevision: chain.revision, previousHash, hash: chain.hash };
  });
}

/** Something was written, and its commit may have happened: unless the server itself undid it with an error. */
const isInDoubt = (error: unknown, tried: ReadonlySet<CheckedAppend>): boolean =>
  tried.size > 0 && !(isServerError(error) && !isShuttingDown(error));

/** An event id that is stored elsewhere already. */
const isDuplicateId = (error: unknown): boolean => error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;

function toResult(decision: AppendDecision, isOwn: boolean): AppendResult {
  if (decision.outcome === 'conflict') return { ok: false, conflict: toExpected(decision.actual) };
  const events = decision.placed.map(recordedOf);
  const { revision, cursor } = lastOf(events);
  return { ok: true, replayed: decision.outcome === 'replay' && !isOwn, revision, cursor, events };
}

/** The newest place of an organization's chain; -1 = none yet. */
interface Chain {
  revision: number;
  hash: Hash;
}

/** An event with its place in its organization's chain. */
interface ChainedEvent {
  readonly placed: PlacedEvent<CheckedEvent>;
  readonly organization: string;
  readonly chainRevision: number;
  readonly previousHash: Hash;
  readonly hash: Hash;
}

/** Locks streams by name and reads their newest revisions; one that is not there gets its row, at -1. */
async function lockStreams(client: Queryable, names: readonly StreamName[]): Promise<Map<string, number>> {
  const rows = await runPrepared<{ name: string; revision: number }>(
    client,
    'lock streams',
    sql`insert into streams (name, organization, revision)
        select name, organization, -1
        from unnest(${names}::text[], ${names.map(streamOrganization)}::text[]) as wanted (name, organization)
        order by name
        on conflict (name) do update set revision = streams.revision
        returning name, revision`,
  );
  return new Map(rows.map(({ name, revision }) => [name, revision]));
}

/** Locks chains by organization and reads their newest places; one that is not there gets its row, at -1. */
async function lockChains(client: Queryable, organizations: readonly string[]): Promise<Map<string, Chain>> {
  const rows = await runPrepared<{ organization: string; revision: string; hash: string }>(
    client,
    'lock chains',
    sql`insert into organization_chains (organization, revision, hash)
        select name, -1, decode(${GENESIS}, 'hex') from unnest(${organizations}::text[]) as wanted (name) order by name
        on conflict (organization) do update set revision = organization_chains.revision
        returning organization, revision, encode(hash, 'hex') as hash`,
  );
  return new Map(rows.map(({ organization, revision, hash }) => [organization, { revision: Number(revision), hash }]));
}

/** The stored events under these ids, by id. */
async function readEvents(client: Queryable, ids: readonly string[]): Promise<Map<string, PlacedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await run<EventRow>(client, sql`select ${eventColumns} from events where id = any(${ids}::uuid[])`);
  return new Map(
    rows.map(rowToRecordedEvent).map((event) => {
      const { id, stream, revision, cursor, recordedAt } = event;
      return [id, { event, stream, revision, position: Number(cursor), recordedAt }];
    }),
  );
}

type Column<Row> = readonly [name: string, type: string, value: (row: Row) => unknown];

const EVENT: readonly Column<ChainedEvent>[] = [
  ['organization', 'text', ({ organization }) => organization],
  ['chain_revision', 'int8', ({ chainRevision }) => chainRevision],
  ['stream', 'text', ({ placed }) => placed.stream],
  ['revision', 'int4', ({ placed }) => placed.revision],
  ['id', 'uuid', ({ placed }) => placed.event.id],
  ['type', 'text', ({ placed }) => placed.event.type],
  ['data', 'text', ({ placed }) => placed.event.dataText],
  ['sealed', 'text', ({ placed }) => placed.event.sealed ?? null],
  ['metadata', 'text', ({ placed }) => placed.event.metadataText],
  ['hash', 'text', ({ hash }) => hash],
  ['previous_hash', 'text', ({ previousHash }) => previousHash],
  ['recorded_at', 'timestamptz', ({ placed }) => placed.event.recordedAt ?? null],
];

const CHAIN: readonly Column<readonly [string, Chain]>[] = [
  ['organization', 'text', ([organization]) => organization],
  ['revision', 'int8', ([, { revision }]) => revision],
  ['hash', 'text', ([, { hash }]) => hash],
];

const STREAM: readonly Column<readonly [string, number]>[] = [
  ['name', 'text', ([name]) => name],
  ['revision', 'int4', ([, revision]) => revision],
];

/** `unnest(…) with ordinality as name (…, n)`: rows as one array per column. */
function unnested<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Sql {
  const arrays = columns.map(([, type, value]) => sql`${rows.map(value)}::${identifier(type)}[]`);
  const names = [...columns.map(([column]) => column), 'n'].map((column) => identifier(column));
  return sql`unnest(${joinSql(arrays, ', ')}) with ordinality as ${identifier(name)} (${joinSql(names, ', ')})`;
}

/**
 * Writes events with the new ends of their streams and chains, and gives each its position and time. One statement, so that the
 * global head, which it locks, is followed by nothing but the commit.
 */
async function writeEvents(
  client: Queryable,
  linked: readonly ChainedEvent[],
  chains: ReadonlyMap<string, Chain>,
  revisions: ReadonlyMap<string, number>,
): Promise<void> {
  const streams = new Set(linked.map(({ placed }) => placed.stream));
  const ends = [...revisions].filter(([name]) => streams.has(name));
  const written = await runPrepared<{ position: string; recorded_at: Date }>(
    client,
    'write events',
    sql`with head as (
          update event_store_head set position = position + ${linked.length}
          returning position - ${linked.length} as start
        ), moved_streams as (
          update streams set revision = moved.revision
          from ${unnested('moved', STREAM, ends)} where streams.name = moved.name
        ), moved_chains as (
          update organization_chains chain set revision = moved.revision, hash = decode(moved.hash, 'hex')
          from ${unnested('moved', CHAIN, [...chains])} where chain.organization = moved.organization
        ), written as (
          insert into events (position, organization, chain_revision, stream, revision, id, type, data, sealed, metadata,
            hash, previous_hash, recorded_at)
          select head.start + n, organization, chain_revision, stream, revision, id, type, data::json, sealed,
            metadata::json, decode(hash, 'hex'), decode(previous_hash, 'hex'), coalesce(recorded_at, clock_timestamp())
          from head, ${unnested('event', EVENT, linked)}
          returning position, recorded_at
        )
        select position, recorded_at from written order by position`,
  );
  linked.forEach(({ placed }, at) => {
    placed.position = Number(written[at]?.position);
    placed.recordedAt = written[at]?.recorded_at ?? new Date(NaN);
  });
}
