import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import {
  type TaskInput,
  type PlanResult,
  countTask,
  type RollupParts,
  type work,
  WORKER,
} from '@ledgerline/aggregation/aggregation';
import type { Settings } from '@ledgerline/platform/config/settings';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Metrics, observeCache } from '@ledgerline/platform/metrics/metrics';
import { LOGGER, SETTINGS } from '../../tokens';
import { ColumnCache } from './column-cache';
import { MemoryBudget, memoryWithin } from './memory-budget';
import { preAggregateParts } from './rollup-parts';

/** When counting ends before it is done, and what it may hold. */
interface Within {
  /** Aborted when the client goes away: types that are not begun are then left out. */
  readonly signal: AbortSignal;
  /** Aborted when the time is over: a thread that counts is then ended. */
  readonly late: AbortSignal;
  /** Bytes that the columns of the task take of the budget: a second thread decodes them, too. */
  readonly columns: number;
}

/** Two at least, which share the types of a large question that is alone. */
const THREADS = Math.max(2, availableParallelism() - 1);
/**
 * Semi-spaces of threads, MB. What they count is outside of the heap; they would have those of the api otherwise, which are
 * large. Flags hold for threads that start after they are set.
 */
const YOUNG_OF_THREADS = ['--min-semi-space-size=1', '--max-semi-space-size=8'];
const MIB = 1024 * 1024;

/** In bytes of rollups: handing fewer to a thread takes longer than counting them. */
const LEAST_FOR_THREADS = 250_000;

const isForThreads = (rollups: RollupParts): boolean => bytesOf(rollups) >= LEAST_FOR_THREADS;

const KEPT_NOTHING = new ColumnCache(0);

/** Counts types, in worker threads where it takes a while, and keeps what they are counted from. */
@Injectable()
export class SessionCounter implements OnApplicationShutdown {
  readonly cache: ColumnCache;
  readonly memory: MemoryBudget;
  /** All threads together keep as much working memory as the cache may hold. */
  private readonly scratchBytes: number;
  private running = 0;
  private isClosing = false;
  /** One after another, while threads have time. */
  private preAggregating = Promise.resolve();
  private readonly threads = new Piscina<Parameters<typeof work>[0], readonly PlanResult[] | Uint8Array>({
    filename: WORKER,
    minThreads: 0, // the first questions start them, and they stay
    maxThreads: THREADS,
    idleTimeout: Infinity,
  });

  constructor(
    @Inject(SETTINGS) { queryCacheMb, queryMemoryMb }: Pick<Settings, 'queryCacheMb' | 'queryMemoryMb'>,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.cache = new ColumnCache(queryCacheMb);
    for (const flag of YOUNG_OF_THREADS) setFlagsFromString(flag);
    const kept = 2 * queryCacheMb; // by the cache, and by threads between tasks
    const columns = Math.max(queryMemoryMb - kept, queryMemoryMb / 2);
    this.memory = new MemoryBudget(memoryWithin(columns * MIB), metrics);
    this.scratchBytes = Math.floor((queryCacheMb * MIB) / THREADS);
    const bytes = 'Memory of the columns of sealed days and of kept counts that are kept';
    const reads =
      'Columns of sealed days and of kept counts that questions read, by whether they were kept (hit) or not (miss)';
    observeCache(metrics, { name: 'query', bytes, reads }, this.cache);
  }

  /** Bytes that questions hold and that are kept for them, and how many may be. */
  get held(): MemoryBudget['state'] {
    const { used, limit, waiting } = this.memory.state;
    return { used: used + this.cache.size, limit: limit + this.cache.limit, waiting };
  }

  /** For tables of another database, in which the same keys name something else: nothing of them is kept. */
  get apart(): Pick<SessionCounter, 'cache' | 'count' | 'memory'> {
    return { cache: KEPT_NOTHING, memory: this.memory, count: (task, within) => this.countOnly(task, within) };
  }

  /** Returns what a task counts. @throws Error when the client has gone or the time is over */
  async count(task: TaskInput, within: Within): Promise<readonly PlanResult[]> {
    const counted = await this.countOnly(task, within);
    if ('rollups' in task && isForThreads(task.rollups))
      this.preAggregating = this.preAggregating.then(() => this.preAggregate(task.rollups));
    return counted;
  }

  private async countOnly(task: TaskInput, within: Within): Promise<readonly PlanResult[]> {
    within.signal.throwIfAborted();
    const isHere = 'rollups' in task && !isForThreads(task.rollups);
    return isHere ? countHere(task, within.signal) : this.countInThreads(task, within);
  }

  /** Adds up large parts over a range, as that is likely to be asked for again. */
  private async preAggregate(rollups: RollupParts): Promise<void> {
    const { scratchBytes } = this;
    for (const rollup of Object.keys(rollups.packs).filter((name) => !rollups.byDay.has(name))) {
      try {
        await preAggregateParts(
          rollups,
          rollup,
          this.cache,
          (preAggregate) => this.threads.run({ preAggregate, scratchBytes }) as Promise<Uint8Array>,
        );
      } catch (error) {
        if (!this.isClosing) this.logger.warn({ err: error, rollup }, 'parts of a rollup are not pre-aggregated');
      }
    }
  }

  private async countInThreads(task: TaskInput, { signal, late, columns }: Within): Promise<readonly PlanResult[]> {
    const isDropped = new Int32Array(new SharedArrayBuffer(4));
    const drop = () => void Atomics.store(isDropped, 0, 1);
    signal.addEventListener('abort', drop, { once: true });
    const isLarge = this.running === 0 && task.plans.length > 1 && isShared(task);
    const giveBack = isLarge ? this.memory.takeIfFree({ columns }) : undefined;
    const parts = giveBack ? 2 : 1;
    this.running++;
    try {
      const counted = await Promise.all(
        Array.from({ length: parts }, (_, nth) => {
          const plans = task.plans.filter((_plan, at) => at % parts === nth);
          const part = { ...task, plans, isDropped, scratchBytes: this.scratchBytes };
          return this.threads.run(part, { signal: late }) as Promise<readonly PlanResult[]>;
        }),
      );
      signal.throwIfAborted();
      return task.plans.flatMap((_, nth) => counted[nth % parts]?.[Math.floor(nth / parts)] ?? []);
    } finally {
      this.running--;
      giveBack?.();
      signal.removeEventListener('abort', drop);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.threads.destroy();
  }
}

/** Fewer are read and selected, which both threads would do, in more time than they are counted in. */
const LEAST_TO_SHARE = 200_000;

function isShared(task: TaskInput): boolean {
  if ('rollups' in task) return true;
  let sessions = 0;
  for (const size of task.rows.size) sessions += size;
  return sessions >= LEAST_TO_SHARE;
}

function bytesOf({ packs }: RollupParts): number {
  let sum = 0;
  for (const each of Object.values(packs)) for (const { bytes } of each) sum += bytes.length;
  return sum;
}

/** In this thread, type by type. */
async function countHere(task: TaskInput, signal: AbortSignal): Promise<readonly PlanResult[]> {
  const counted: PlanResult[] = [];
  const pause: () => Promise<void> = yieldToEventLoop();
  for (const plan of task.plans) {
    counted.push(...countTask({ ...task, plans: [plan], isDropped: new Int32Array(1) }));
    await pause();
    signal.throwIfAborted();
  }
  return counted;
}
