import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { segmentsOf } from '@ledgerline/kafka/copying';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { OWN_GROUPS } from '@ledgerline/platform/table-versions/live-tables';
import type { AwaitedPosition, WritePosition } from '../../http/log-position';
import { POOL } from '../../tokens';

export const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';

/** Waits until the read models include what a request wants to see. */
@Injectable()
export class ProjectedPositions {
  private readonly polls: readonly CheckpointPoll[];

  constructor(
    private readonly stores: ReadStores,
    private readonly live: LiveRegistry,
    @Inject(POOL) private readonly main: Pool,
  ) {
    this.polls = stores.all.map(({ pool }) => new CheckpointPoll(pool));
  }

  /**
   * True as soon as the registry and the read models of a group include a position as far as it is about this website
   * or link, false when its time is over. @throws ReadStoreUnavailable
   */
  async include({ decided, until, ...awaited }: AwaitedPosition, group: Group, id: string): Promise<boolean> {
    // the guard of every route has waited for it
    if (decided !== undefined && !(await this.live.hasReached(decided, 0))) return false;
    if (awaited.observed.size === 0 && !awaited.sent?.size) return true;
    const { store, partition } = await this.stores.locate(id);
    const own = (all: ReadonlyMap<number, number> = new Map()) => new Map([...all].filter(([at]) => at === partition));
    const sent = own(awaited.sent);
    const copied = await copiedPositions(this.main, { observed: own(awaited.observed), sent, until });
    if (copied === undefined) return false;
    const offset = copied.get(partition);
    const poll = this.polls[store.place - 1];
    return offset === undefined || !poll || poll.reaches({ group, partition, offset, until });
  }
}

const COPIED_POLL_MS = 50;

/**
 * Waits until the hits that were sent to Kafka up to a position are in the log, and answers where: the head of the
 * partition at that moment, which does not move on while their projection is waited for. Undefined when time is over.
 */
export async function copiedPositions(
  on: Queryable,
  { observed, sent = new Map(), until }: Pick<AwaitedPosition, 'observed' | 'sent' | 'until'>,
): Promise<WritePosition['observed'] | undefined> {
  const found = new Map(observed);
  for (let missing = sent; missing.size > 0;) {
    const offsets = await segmentsOf(on, missing);
    for (const [partition, offset] of offsets)
      if (offset !== undefined) found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    missing = new Map([...missing].filter(([partition]) => offsets.get(partition) === undefined));
    if (missing.size === 0) break;
    if (performance.now() + COPIED_POLL_MS > until) return undefined;
    await sleep(COPIED_POLL_MS);
  }
  return found;
}

const POLL_MS = 20;

interface Awaited {
  readonly group: Group;
  readonly partition: number;
  /** In the intake log. */
  readonly offset: number;
  /** By `performance.now()`. */
  readonly until: number;
}

interface Waiter extends Awaited {
  readonly resolve: (isReached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface Checkpoint {
  readonly group: Group;
  readonly partition: number;
  readonly cursor: string;
}

/** Reads the checkpoints of one read store while requests wait for them; all that wait share one poll. */
class CheckpointPoll {
  private readonly waiting = new Set<Waiter>();
  private isPolling = false;

  constructor(private readonly pool: Pool) {}

  /** True as soon as a checkpoint has reached the offset, false when the time is over. @throws ReadStoreUnavailable */
  reaches(awaited: Awaited): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.add({ ...awaited, resolve, reject });
      if (!this.isPolling) void this.poll();
    });
  }

  /** Goes on while anybody waits. */
  private async poll(): Promise<void> {
    this.isPolling = true;
    while (this.waiting.size > 0) {
      await this.look();
      if (this.waiting.size > 0) await sleep(POLL_MS);
    }
    this.isPolling = false;
  }

  private async look(): Promise<void> {
    const asking = [...this.waiting]; // who comes meanwhile may be wanting more than is read now
    try {
      const checkpoints = await onReadStore(() => this.checkpoints());
      for (const waiter of asking) {
        const isReached = isIncluded(waiter, checkpoints);
        if (isReached || performance.now() + POLL_MS > waiter.until)
          this.leave(waiter, () => waiter.resolve(isReached));
      }
    } catch (error) {
      for (const waiter of asking) this.leave(waiter, () => waiter.reject(error));
    }
  }

  private leave(waiter: Waiter, settle: () => void): void {
    this.waiting.delete(waiter);
    settle();
  }

  private checkpoints(): Promise<Checkpoint[]> {
    const live = sql`
      select c.projection_group as "group", c.partition, c.cursor
      from ${OWN_GROUPS} g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where c.projection_group in ('websites', 'links', 'monitors')`;
    return run<Checkpoint>(this.pool, live);
  }
}

function isIncluded({ group, partition, offset }: Waiter, checkpoints: readonly Checkpoint[]): boolean {
  const own = checkpoints.find((one) => one.group === group && one.partition === partition);
  return own !== undefined && own.cursor !== '' && Number(own.cursor) >= offset;
}
