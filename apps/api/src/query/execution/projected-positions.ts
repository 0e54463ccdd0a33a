import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwaitedPosition, LogPosition } from '../../http/log-position';
import { POOL } from '../../tokens';
import { copiedPositions } from './copied-positions';

export const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';
const POLL_MS = 20;

interface Waiter {
  readonly observed: LogPosition['observed'];
  readonly group: Group;
  /** By `performance.now()`. */
  readonly until: number;
  readonly resolve: (isReached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface Checkpoint {
  readonly group: Group;
  readonly partition: number;
  readonly cursor: string;
}

/** Waits until the read models include what a request wants to see; all that wait share one poll. */
@Injectable()
export class ProjectedPositions {
  private readonly waiting = new Set<Waiter>();
  private isPolling = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly live: LiveRegistry,
  ) {}

  /** True as soon as the registry and the read models of a group include a position, false when its time is over. */
  async include({ decided, until, ...awaited }: AwaitedPosition, group: Group): Promise<boolean> {
    // the guard of every route has waited for it
    if (decided !== undefined && !(await this.live.hasReached(decided, 0))) return false;
    const observed = await copiedPositions(this.pool, { ...awaited, until });
    if (observed === undefined) return false;
    if (observed.size === 0) return true;
    return new Promise((resolve, reject) => {
      this.waiting.add({ observed, group, until, resolve, reject });
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
      const checkpoints = await this.checkpoints();
      for (const waiter of asking) {
        const isReached = isIncluded(waiter, checkpoints);
        if (isReached || performance.now() + POLL_MS > waiter.until)
          this.leave(waiter, () => waiter.resolve(isReached));
      }
    } catch (error) {
      for (const waiter of asking) this.leave(waiter, () => waiter.reject(error));
    }
  }

  private leave(waiter: Waiter, tell: () => void): void {
    this.waiting.delete(waiter);
    tell();
  }

  private checkpoints(): Promise<Checkpoint[]> {
    const live = sql`
      select c.projection_group as "group", c.partition, c.cursor
      from projection_groups g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where c.projection_group in ('websites', 'links')`;
    return run<Checkpoint>(this.pool, live);
  }
}

function isIncluded({ observed, group }: Waiter, checkpoints: readonly Checkpoint[]): boolean {
  const own = new Map(checkpoints.filter((one) => one.group === group).map((one) => [one.partition, one.cursor]));
  return [...observed].every(([partition, offset]) => {
    const cursor = own.get(partition) ?? '';
    return cursor !== '' && Number(cursor) >= offset;
  });
}
