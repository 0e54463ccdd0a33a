import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { FairSemaphore } from '@ledgerline/platform/database/fair-semaphore';
import { isSilent, readTransaction, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { ReadStores, type Located, type QuestionStore } from '@ledgerline/platform/read-stores/read-stores';
import { onReadStore } from '@ledgerline/platform/read-stores/read-store';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { Counter } from 'prom-client';
import { POOL } from '../../tokens';
import { SessionCounter } from './session-counter';
import type { Executor } from './plan';
import { beginSnapshot, outOfTime, type Deadline, type QuestionTools, type StoreConnection } from './snapshot';

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

type Work<T> = (on: StoreConnection & QuestionTools) => Promise<T>;

/** Runs questions in snapshots, so many of each store at once; one whose client has gone is ended in Postgres, too. */
@Injectable()
export class SnapshotRunner {
  private readonly turns: ReadonlyMap<QuestionStore, FairSemaphore>;
  private readonly plans: Counter<'type' | 'executor'>;

  constructor(
    private readonly stores: ReadStores,
    @Inject(POOL) private readonly main: Pool,
    private readonly counter: SessionCounter,
    { registry }: Metrics,
  ) {
    this.plans = new Counter({
      name: 'ledgerline_query_plans_total',
      help: 'Answered query types by what executed them: keptCounts, rollups, sessionColumns or facts',
      labelNames: ['type', 'executor'],
      registers: [registry],
    });
    this.turns = new Map(stores.all.map((store) => [store, turnsOf(store)]));
  }

  /**
   * @throws Problem SERVICE_UNAVAILABLE when its client goes away, or its time is over before its turn
   * @throws ReadStoreUnavailable
   */
  async read<T>(question: SnapshotTask, work: Work<T>): Promise<T> {
    const { deadline, signal } = question;
    const at = await this.stores.locate(question.subject);
    const waiting = new AbortController();
    const leave = () => waiting.abort(abandoned());
    const timer = setTimeout(() => waiting.abort(outOfTime()), deadline.left());
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      const turns = this.turns.get(at.store) ?? turnsOf(at.store);
      const inTurn = () => onReadStore(() => this.answer(question, at, work));
      return await turns.run(callerOf(question), waiting.signal, () => traced('snapshot', {}, inTurn));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }

  /** TRICKY: after a cancellation the connection is not used again, as that might meet the next statement. */
  private answer<T>({ deadline, signal }: SnapshotTask, { store, partition }: Located, work: Work<T>): Promise<T> {
    const isSpent = (error: unknown) => signal.aborted || isSilent(error);
    const begin = beginSnapshot(deadline.left());
    const onPlan = (type: string, executor: Executor) => this.plans.inc({ type, executor });
    const tools = { counter: this.counter, onPlan };
    const inTime = (client: PoolClient) =>
      untilGone(client, { signal, others: store.pool }, () => work({ client, main: this.main, partition, ...tools }));
    return readTransaction(store.questions, begin, inTime, isSpent);
  }
}

/** A caller's slow questions leave half of the connections to others. */
function turnsOf({ questions }: QuestionStore): FairSemaphore {
  const { max } = questions.options;
  return new FairSemaphore({ atOnce: max, ofOneCaller: Math.ceil(max / 2), waiting: MAX_WAITING });
}

async function untilGone<T>(
  client: PoolClient,
  { signal, others }: { signal: AbortSignal; others: Pool },
  work: () => Promise<T>,
): Promise<T> {
  refuseAbandoned(signal);
  let [isOver, cancelling] = [false, Promise.resolve()];
  // TRICKY: more than once, as a cancellation between two statements does not end the next one
  const cancel = async () => {
    while (!isOver) {
      await run(others, sql`select pg_cancel_backend(${processOf(client)}::int)`).catch(() => undefined);
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
