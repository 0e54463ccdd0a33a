import { availableParallelism } from 'node:os';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { observeCache } from '@ledgerline/platform/metrics/cache-metrics';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Piscina } from 'piscina';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LOGGER, SETTINGS } from '../../tokens';
import type work from './counting-worker';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { collapsedName, LEAST_TO_COLLAPSE } from '../session-columns/collapse-pack';
import { ColumnCache } from '../session-columns/column-cache';
import {
  countTask,
  type AskedTask,
  type CountedColumns,
  type KeptPacks,
  type TaskCounter,
} from '../session-columns/counting-task';
import { queryTypeNamed } from '../types/catalogue';

/** Two at least, which share the types of a question that is alone. */
const THREADS = Math.max(2, availableParallelism() - 1);
const MIB = 1024 * 1024;

/** In bytes of kept counts: handing fewer to a thread takes longer than counting them. */
const LEAST_FOR_THREADS = 250_000;

/** Counts types, in worker threads where it takes a while, and keeps what they are counted from. */
@Injectable()
export class SessionCounter implements TaskCounter, OnApplicationShutdown {
  readonly cache: ColumnCache;
  /** All threads together keep as much working memory as the cache may hold. */
  private readonly scratchBytes: number;
  private running = 0;
  private isClosing = false;
  /** Packs one after another, while threads have time. */
  private collapsing = Promise.resolve();
  private readonly threads = new Piscina<Parameters<typeof work>[0], readonly CountedColumns[] | Uint8Array>({
    filename: require.resolve('./counting-worker'),
    minThreads: 0, // the first questions start them, and they stay
    maxThreads: THREADS,
    idleTimeout: Infinity,
  });

  constructor(
    @Inject(SETTINGS) { queryCacheMb }: Pick<Settings, 'queryCacheMb'>,
    metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.cache = new ColumnCache(queryCacheMb);
    this.scratchBytes = Math.floor((queryCacheMb * MIB) / THREADS);
    const bytes = 'Memory of the columns of sealed days and of kept counts that are kept';
    const reads =
      'Columns of sealed days and of kept counts that questions read, by whether they were kept (hit) or not (miss)';
    observeCache(metrics, { name: 'query', bytes, reads }, this.cache);
  }

  async count(
    task: AskedTask,
    { signal, late }: Parameters<TaskCounter['count']>[1],
  ): Promise<readonly CountedColumns[]> {
    signal.throwIfAborted();
    if (!('kept' in task)) return this.countInThreads(task, { signal, late });
    if (bytesOf(task.kept) < LEAST_FOR_THREADS) return countHere(task, signal);
    const counted = await this.countInThreads(task, { signal, late });
    this.collapsing = this.collapsing.then(() => this.collapse(task.kept));
    return counted;
  }

  /** Keeps what the range counts of large packs, as it is likely to be asked for again. */
  private async collapse({ since, until, byDay, packs }: KeptPacks): Promise<void> {
    const { cache, scratchBytes } = this;
    for (const [name, each] of Object.entries(packs)) {
      for (const { key, bytes, isByDay } of byDay.has(name) ? [] : each) {
        const collapsed = collapsedName(name, { since, until });
        if (!isByDay || bytes.length < LEAST_TO_COLLAPSE || this.isClosing || cache.find(key, collapsed)) continue;
        try {
          const task = { collapse: { name, since, until, bytes }, scratchBytes };
          cache.set(key, collapsed, (await this.threads.run(task)) as Uint8Array);
        } catch (error) {
          if (!this.hasClosed()) this.logger.warn({ err: error, name }, 'what a range counts of a pack is not kept');
        }
      }
    }
  }

  /** It may have meanwhile. */
  private hasClosed(): boolean {
    return this.isClosing;
  }

  private async countInThreads(
    task: AskedTask,
    { signal, late }: Parameters<TaskCounter['count']>[1],
  ): Promise<readonly CountedColumns[]> {
    const isDropped = new Int32Array(new SharedArrayBuffer(4));
    const drop = () => void Atomics.store(isDropped, 0, 1);
    signal.addEventListener('abort', drop, { once: true });
    const parts = this.running === 0 ? Math.min(2, task.types.length) : 1;
    this.running++;
    try {
      const counted = await Promise.all(
        Array.from({ length: parts }, (_, nth) => {
          const types = task.types.filter((_type, at) => at % parts === nth);
          const part = { ...task, types, isDropped, scratchBytes: this.scratchBytes };
          return this.threads.run(part, { signal: late }) as Promise<readonly CountedColumns[]>;
        }),
      );
      signal.throwIfAborted();
      return task.types.flatMap((_, nth) => counted[nth % parts]?.[Math.floor(nth / parts)] ?? []);
    } finally {
      this.running--;
      signal.removeEventListener('abort', drop);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    await this.threads.destroy();
  }
}

function bytesOf({ packs }: KeptPacks): number {
  let sum = 0;
  for (const each of Object.values(packs)) for (const { bytes } of each) sum += bytes.length;
  return sum;
}

/** In this thread, type by type. */
async function countHere(task: AskedTask, signal: AbortSignal): Promise<readonly CountedColumns[]> {
  const [counted, pause]: [CountedColumns[], () => Promise<void>] = [[], yieldToEventLoop()];
  for (const type of task.types) {
    counted.push(...countTask({ ...task, types: [type], isDropped: new Int32Array(1) }, queryTypeNamed));
    await pause();
    signal.throwIfAborted();
  }
  return counted;
}
