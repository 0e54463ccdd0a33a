import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { run, transaction } from '../database/pool';
import { sql } from '../database/sql';
import { isUnavailable, orUnavailable } from '../database/database-errors';
import { appendGroup } from './append-group';
import { toExpected, type CheckedAppend } from './checked-append';
import type { AppendResult } from './event-store';
import { lastOf, type PlacedEvent, type AppendDecision } from './append-decision';

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
