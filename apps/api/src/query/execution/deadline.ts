import { performance } from 'node:perf_hooks';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { inOneFlush } from '@ledgerline/platform/database/pool';
import type { PoolClient } from 'pg';

/** The time limit of a request or batch. */
const REQUEST_MS = 30_000;

/** The time left to a request, which all of its statements share. */
export class Deadline {
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
