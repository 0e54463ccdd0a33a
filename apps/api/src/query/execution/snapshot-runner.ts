import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { isSilent, readTransaction, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { POOL, QUERY_POOL } from '../../tokens';
import { outOfTime, type Deadline } from './deadline';
import { FairSemaphore } from './fair-semaphore';
import { beginSnapshot } from './snapshot';

/** Who asks what, and until when an answer is worth anything. */
interface SnapshotTask {
  readonly caller: Caller;
  /** The id of the website or link. */
  readonly subject: string;
  readonly deadline: Deadline;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

const MAX_WAITING = 1_000;
const CANCEL_EVERY_MS = 20;

/** Runs questions in snapshots, so many at once; one whose client has gone is ended in Postgres, too. */
@Injectable()
export class SnapshotRunner {
  private readonly turns: FairSemaphore;

  constructor(
    @Inject(QUERY_POOL) private readonly pool: Pool,
    @Inject(POOL) private readonly others: Pool,
  ) {
    const { max } = pool.options; // a caller's slow questions leave half of the connections to others
    this.turns = new FairSemaphore({ atOnce: max, ofOneCaller: Math.ceil(max / 2), waiting: MAX_WAITING });
  }

  /** @throws Problem SERVICE_UNAVAILABLE when its client goes away, or its time is over before its turn */
  async read<T>(question: SnapshotTask, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const { deadline, signal } = question;
    const waiting = new AbortController();
    const leave = () => waiting.abort(abandoned());
    const timer = setTimeout(() => waiting.abort(outOfTime()), deadline.left());
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await this.turns.run(callerOf(question), waiting.signal, () => this.answer(question, work));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /** TRICKY: after a cancellation the connection is not used again, as that might meet the next statement. */
  private answer<T>({ deadline, signal }: SnapshotTask, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const isSpent = (error: unknown) => signal.aborted || isSilent(error);
    const begin = beginSnapshot(deadline.left());
    return readTransaction(this.pool, begin, (client) => this.untilGone(client, signal, work), isSpent);
  }

  private async untilGone<T>(
    client: PoolClient,
    signal: AbortSignal,
    work: (client: PoolClient) => Promise<T>,
  ): Promise<T> {
    refuseAbandoned(signal);
    let [isOver, cancelling] = [false, Promise.resolve()];
    // TRICKY: more than once, as a cancellation between two statements does not end the next one
    const cancel = async () => {
      while (!isOver) {
        await run(this.others, sql`select pg_cancel_backend(${processOf(client)}::int)`).catch(() => undefined);
        await sleep(CANCEL_EVERY_MS);
      }
    };
    const begin = () => void (cancelling = cancel());
    signal.addEventListener('abort', begin, { once: true });
    try {
      return await work(client);
    } catch (error) {
      throw signal.aborted ? abandoned() : error;
    } finally {
      isOver = true;
      signal.removeEventListener('abort', begin);
      await cancelling;
    }
  }
}

function refuseAbandoned(signal: AbortSignal): void {
  if (signal.aborted) throw abandoned();
}

const abandoned = (): Problem => new Problem('SERVICE_UNAVAILABLE', 'The client went away before the answer.');

/** Callers without credentials are told apart by what they ask about. */
function callerOf({ caller, subject }: SnapshotTask): string {
  return caller.kind === 'anonymous' ? `public ${subject}` : `${caller.kind} ${caller.id}`;
}

/** Of the connection's server process; its type declarations leave it out. */
const processOf = (client: PoolClient): number => (client as PoolClient & { processID: number }).processID;
