import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { run, transaction, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { isUnavailable, orUnavailable } from '../database/database-errors';
import { decideAppend, lastOf, type AppendDecision, type PlacedEvent } from './append-decision';
import { lockChains, lockStreams, readEvents, writeEvents, type Chain, type LinkedEvent } from './append-statements';
import { chainHash } from './chain-hash';
import { toExpected, type CheckedAppend, type CheckedEvent } from './checked-append';
import { organizationOf, type AppendResult } from './event-store';

const UNIQUE_VIOLATION = '23505';
const RETRY_AFTER_MS = 200;

/** Writes groups of appends, each in one transaction. */
export class PostgresAppender {
  constructor(private readonly pool: Pool) {}

  /**
   * One result per append, in order.
   * @throws LogUnavailable where the outcome cannot be known; anything else may be the fault of a single append
   */
  async flush(appends: readonly CheckedAppend[]): Promise<AppendResult[]> {
    const tried = new Set<CheckedAppend>();
    try {
      return await this.attempt(appends, tried);
    } catch (error) {
      if (isUnavailable(error)) return this.retry(appends, tried);
      const [append, ...others] = appends;
      if (append && others.length === 0 && isDuplicateId(error)) return [await this.conflict(append)];
      throw error;
    }
  }

  /** `tried` collects what was about to be written: found stored later, it is this call's own and no replay. */
  private async attempt(appends: readonly CheckedAppend[], tried: Set<CheckedAppend>): Promise<AppendResult[]> {
    const before = new Set(tried);
    const decisions = await transaction(this.pool, async (client) => {
      const judged = await appendGroup(client, appends);
      appends.forEach((append, at) => judged[at]?.outcome === 'write' && tried.add(append));
      return judged;
    });
    return appends.map((append, at) => toResult(decisions[at], before.has(append)));
  }

  private async retry(appends: readonly CheckedAppend[], tried: Set<CheckedAppend>): Promise<AppendResult[]> {
    await setTimeout(RETRY_AFTER_MS);
    return orUnavailable('The event store', () => this.attempt(appends, tried));
  }

  private async conflict({ stream, expected }: CheckedAppend): Promise<AppendResult> {
    const [row] = await orUnavailable('The event store', () =>
      run<{ revision: number }>(this.pool, sql`select revision from streams where name = ${stream}`),
    );
    return { ok: false, conflict: toExpected(row?.revision ?? expected) };
  }
}

/**
 * Writes a group of appends inside one transaction and returns a decision for each, in order.
 * TRICKY: locks are taken in one order everywhere (streams by name, organizations by id, the global head last), and
 * nothing slow happens after the head: it orders all writers, and its release at commit makes position order the order
 * in which events become visible.
 */
export async function appendGroup(client: Queryable, appends: readonly CheckedAppend[]): Promise<AppendDecision[]> {
  const revisions = await lockStreams(client, [...new Set(appends.map(({ stream }) => stream))]);
  const suspects = appends.filter(({ stream, expected }) => expected !== revisions.get(stream));
  const stored = await readEvents(
    client,
    suspects.flatMap(({ events }) => events.map(({ id }) => id)),
  );
  const written: PlacedEvent<CheckedEvent>[] = [];
  const decisions = appends.map((append) => {
    const decision = decideAppend(append, revisions.get(append.stream) ?? -1, stored);
    for (const placed of decision.outcome === 'write' ? decision.placed : []) {
      stored.set(placed.event.id, placed);
      revisions.set(placed.stream, placed.revision);
      written.push(placed);
    }
    return decision;
  });
  if (written.length > 0) {
    const chains = await lockChains(client, [...new Set(written.map(({ stream }) => organizationOf(stream)))]);
    await writeEvents(client, link(written, chains), chains, revisions);
  }
  return decisions;
}

/** Hangs the events on their organizations' chains, which it moves on. */
function link(written: readonly PlacedEvent<CheckedEvent>[], chains: Map<string, Chain>): LinkedEvent[] {
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

/** An event id that is stored elsewhere already. */
const isDuplicateId = (error: unknown): boolean => error instanceof DatabaseError && error.code === UNIQUE_VIOLATION;

function toResult(decision: AppendDecision | undefined, isOwn: boolean): AppendResult {
  switch (decision?.outcome) {
    case 'write':
      return { ok: true, replayed: false, ...place(lastOf(decision.placed)) };
    case 'replay':
      return { ok: true, replayed: !isOwn, ...place(decision.last) };
    case 'conflict':
      return { ok: false, conflict: toExpected(decision.actual) };
    case undefined:
      throw new Error('An append was left without a decision.');
  }
}

const place = ({ revision, position }: PlacedEvent) => ({ revision, cursor: String(position) });
