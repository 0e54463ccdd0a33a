import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { inOneFlush, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';

/** The clients that wait for what a request computes: its own, and those who asked the same meanwhile. */
export class Audience {
  private readonly gone = new AbortController();
  private clients = 0;
  /** Aborted when all of them have gone away. */
  readonly signal = this.gone.signal;

  constructor(client: AbortSignal) {
    this.join(client);
  }

  /** Until the client goes away, or leaves by the function that is returned. */
  join(client: AbortSignal): () => void {
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      client.removeEventListener('abort', leave);
      if (--this.clients === 0) this.gone.abort();
    };
    this.clients++;
    client.addEventListener('abort', leave, { once: true });
    if (client.aborted) leave();
    return leave;
  }
}

export const abandoned = (): Problem => new Problem('SERVICE_UNAVAILABLE', 'The client went away before the answer.');

const CANCEL_EVERY_MS = 20;

/** Cancels the statements of a connection once all clients have disconnected. @throws Problem SERVICE_UNAVAILABLE then */
export async function untilGone<T>(
  client: PoolClient,
  { signal, others }: { signal: AbortSignal; others: Pool },
  work: () => Promise<T>,
): Promise<T> {
  const { processID: processId } = client as PoolClient & { processID: number }; // its declarations leave it out
  let isOver = false;
  let cancelling = Promise.resolve();
  // TRICKY: more than once, as a cancellation between two statements does not end the next one
  const cancel = async () => {
    while (!isOver) {
      await run(others, sql`select pg_cancel_backend(${processId}::int)`).catch(() => undefined);
      await sleep(CANCEL_EVERY_MS);
    }
  };
  const begin = () => void (cancelling = cancel());
  signal.addEventListener('abort', begin, { once: true });
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? abandoned() : error;
  } finally {
    isOver = true;
    signal.removeEventListener('abort', begin);
    await cancelling;
  }
}

/** The time limit of a request or batch. */
const REQUEST_MS = 30_000;

/** The time left to a request, which all of its statements share. */
export class QueryDeadline {
  private readonly ends: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.ends = now() + REQUEST_MS;
  }

  /** Whole ms. @throws Problem SERVICE_UNAVAILABLE when there are none */
  left(): number {
    const left = Math.floor(this.ends - this.now());
    if (left < 1) throw outOfTime();
    return left;
  }

  /**
   * Does work in this transaction whose statements are ended when the time is over.
   * @throws Problem SERVICE_UNAVAILABLE when it already is; no statement is sent then
   */
  async within<T>(on: PoolClient, work: () => Promise<T>): Promise<T> {
    const limit = `set local statement_timeout = ${this.left()}`;
    const [, done] = await inOneFlush(on, () => Promise.all([on.query(limit), work()]));
    return done;
  }
}

const SECONDS = REQUEST_MS / 1_000;
const OUT_OF_TIME = `The request took longer than the ${SECONDS} seconds it has in all; ask less at once.`;

export const outOfTime = (): Problem => new Problem('SERVICE_UNAVAILABLE', OUT_OF_TIME, undefined, 1);
