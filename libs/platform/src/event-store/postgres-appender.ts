import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { pipelinedTransaction, run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { isServerError, isShuttingDown, isUnavailable, orUnavailable } from '../database/database-errors';
import { LogUnavailable, OutcomeUnknown } from '../log/log-reader';
import { decideAppend, lastOf, recordedOf, type AppendDecision, type PlacedEvent } from './append-decision';
import { lockChains, lockStreams, readEvents, writeEvents, type Chain, type ChainedEvent } from './append-statements';
import { chainHash } from './chain-hash';
import { toExpected, type CheckedAppend, type CheckedEvent } from './checked-append';
import { organizationOf, type AppendResult } from './event-store';

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
    const organization = organizationOf(placed.stream);
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
