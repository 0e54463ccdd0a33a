import { setTimeout } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { run, transaction } from '../database/pool';
import { sql } from '../database/sql';
import { isUnavailable, orUnavailable } from '../database/unavailable';
import { LogUnavailable } from '../log/log-reader';
import { appendGroup } from './append-group';
import { toExpected, type CheckedAppend } from './checked-append';
import type { AppendResult } from './event-store';
import { lastOf, type PlacedEvent, type Verdict } from './judge-append';

type Outcome = PromiseSettledResult<AppendResult>;

const RETRY_AFTER_MS = 200;

/** Writes groups of appends, each in one transaction, so that none suffers for another. */
export class PostgresAppender {
  constructor(private readonly pool: Pool) {}

  /** One outcome per append, in order; rejected with LogUnavailable where the outcome cannot be known. */
  async flush(appends: readonly CheckedAppend[]): Promise<Outcome[]> {
    const tried = new Set<CheckedAppend>();
    try {
      return await this.attempt(appends, tried);
    } catch (error) {
      if (isUnavailable(error)) return this.retry(appends, tried);
      if (appends.length > 1) return (await Promise.all(appends.map((one) => this.flush([one])))).flat();
      return [await this.alone(lastOf(appends), error)];
    }
  }

  /** `tried` collects what was about to be written: found stored later, it is this call's own and no replay. */
  private async attempt(appends: readonly CheckedAppend[], tried: Set<CheckedAppend>): Promise<Outcome[]> {
    const before = new Set(tried);
    const verdicts = await transaction(this.pool, async (client) => {
      const judged = await appendGroup(client, appends);
      appends.forEach((append, at) => judged[at]?.outcome === 'write' && tried.add(append));
      return judged;
    });
    return appends.map((append, at) => fulfilled(toResult(verdicts[at], before.has(append))));
  }

  private async retry(appends: readonly CheckedAppend[], tried: Set<CheckedAppend>): Promise<Outcome[]> {
    await setTimeout(RETRY_AFTER_MS);
    try {
      return await this.attempt(appends, tried);
    } catch (cause) {
      const reason = isUnavailable(cause) ? new LogUnavailable('The event store did not answer.', { cause }) : cause;
      return appends.map(() => ({ status: 'rejected', reason }));
    }
  }

  /** An id that is already stored elsewhere is a conflict at the revision that is found. */
  private async alone({ stream, expected }: CheckedAppend, reason: unknown): Promise<Outcome> {
    if (!(reason instanceof DatabaseError && reason.code === '23505')) return { status: 'rejected', reason };
    try {
      const [row] = await orUnavailable('The event store', () =>
        run<{ revision: number }>(this.pool, sql`select revision from streams where name = ${stream}`),
      );
      return fulfilled({ ok: false, conflict: toExpected(row?.revision ?? expected) });
    } catch (error) {
      return { status: 'rejected', reason: error };
    }
  }
}

function toResult(verdict: Verdict | undefined, isOwn: boolean): AppendResult {
  switch (verdict?.outcome) {
    case 'write':
      return { ok: true, replayed: false, ...place(lastOf(verdict.placed)) };
    case 'replay':
      return { ok: true, replayed: !isOwn, ...place(verdict.last) };
    case 'conflict':
      return { ok: false, conflict: toExpected(verdict.actual) };
    case undefined:
      throw new Error('An append was left without a verdict.');
  }
}

const place = ({ revision, position }: PlacedEvent) => ({ revision, cursor: String(position) });
const fulfilled = (value: AppendResult): Outcome => ({ status: 'fulfilled', value });
