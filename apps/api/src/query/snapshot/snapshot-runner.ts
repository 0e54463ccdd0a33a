import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { FairSemaphore } from '@ledgerline/platform/database/semaphore';
import { isSilent, readTransaction, run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import {
  type Located,
  type QuestionStore,
  ReadStores,
  onReadStore,
} from '@ledgerline/platform/read-stores/read-stores';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { Counter } from 'prom-client';
import { POOL } from '../../tokens';
import type { Services } from '../declaration/query-type';
import { Histories } from '../history/history';
import { QueryTargets, type QueryTarget } from '../request/query-targets';
import { SessionCounter } from '../session-columns/session-counter';
import { beginSnapshot, type Deadline, outOfTime, readSnapshot, type Snapshot } from './snapshot';

/** What the requests of a body are answered with, all in one snapshot of a read store. */
export interface QueryRun<On extends Queryable = PoolClient> extends Services {
  /** The transaction of the snapshot. */
  readonly client: On;
  readonly snapshot: Snapshot;
  readonly deadline: Deadline;
  readonly audience: Audience;
  readonly counter: Pick<SessionCounter, 'cache' | 'count' | 'memory'>;
  /** Is given each type with what executes it. */
  readonly onPlan: (type: string, executor: string) => void;
  /** Of logs. */
  readonly requestId: string | undefined;
}

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

const MAX_WAITING = 1_000;
const CANCEL_EVERY_MS = 20;

/** Who asks about what, and until when an answer is worth anything. */
interface SnapshotTask extends Pick<QueryRun, 'deadline' | 'audience' | 'requestId'> {
  readonly caller: Caller;
  readonly target: Pick<QueryTarget, 'about' | 'id'>;
  /** Time of the request, epoch ms. */
  readonly now: number;
}

type Work<T> = (run: QueryRun) => Promise<T>;

/** Runs questions in snapshots, so many of each store at once; one whose client has gone is ended in Postgres, too. */
@Injectable()
export class SnapshotRunner {
  private readonly turns: ReadonlyMap<QuestionStore, FairSemaphore>;
  private readonly plans: Counter<'type' | 'executor'>;

  constructor(
    private readonly stores: ReadStores,
    @Inject(POOL) private readonly main: Pool,
    private readonly counter: SessionCounter,
    private readonly targets: QueryTargets,
    private readonly histories: Histories,
    { registry }: Metrics,
  ) {
    this.plans = new Counter({
      name: 'ledgerline_query_plans_total',
      help: 'Answered query types by what executed them: keptCounts, rollups, sessionColumns, facts or history',
      labelNames: ['type', 'executor'],
      registers: [registry],
    });
    this.turns = new Map(stores.all.map((store) => [store, turnsOf(store)]));
  }

  /**
   * @throws Problem SERVICE_UNAVAILABLE when its client goes away, or its time is over before its turn
   * @throws ReadStoreUnavailable
   */
  async read<T>(task: SnapshotTask, work: Work<T>): Promise<T> {
    const { audience, deadline, target } = task;
    const at = await this.stores.locate(target.id);
    const waiting = new AbortController();
    const leave = () => waiting.abort(abandoned());
    const timer = setTimeout(() => waiting.abort(outOfTime()), deadline.left());
    audience.signal.addEventListener('abort', leave, { once: true });
    if (audience.signal.aborted) leave();
    try {
      const turns = this.turns.get(at.store) ?? turnsOf(at.store);
      const inTurn = () => onReadStore(() => this.inSnapshot(task, at, work));
      return await turns.run(callerOf(task), waiting.signal, () => traced('snapshot', {}, inTurn));
    } finally {
      clearTimeout(timer);
      audience.signal.removeEventListener('abort', leave);
    }
  }

  /** TRICKY: after a cancellation the connection is not used again, as that might meet the next statement. */
  private inSnapshot<T>(task: SnapshotTask, { store, partition }: Located, work: Work<T>): Promise<T> {
    const { audience, deadline, requestId, target, now, caller } = task;
    const { main, counter, targets } = this;
    const isSpent = (error: unknown) => audience.signal.aborted || isSilent(error);
    const begin = beginSnapshot(deadline.left());
    const onPlan = (type: string, executor: string) => this.plans.inc({ type, executor });
    const history: QueryRun['history'] = ({ link: id, ...span }) => this.histories.about(caller, id, span);
    const answer = (client: PoolClient) =>
      untilGone(client, { signal: audience.signal, others: store.pool }, async () => {
        const snapshot = await readSnapshot({ client, main, partition }, target, now);
        return work({ client, main, targets, snapshot, deadline, audience, counter, history, onPlan, requestId });
      });
    return readTransaction(store.questions, begin, answer, isSpent);
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

/** Callers without credentials are distinguished by what they ask about. */
const callerOf = ({ caller, target }: SnapshotTask): string =>
  caller.kind === 'anonymous' ? `public ${target.id}` : `${caller.kind} ${caller.id}`;

/** Of the connection's server process; its type declarations leave it out. */
const processOf = (client: PoolClient): number => (client as PoolClient & { processID: number }).processID;
