import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { onReadStore } from '@ledgerline/platform/read-stores/read-store';
import type { Pool } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

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
export class CheckpointPoll {
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
      from projection_groups g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where c.projection_group in ('websites', 'links', 'monitors')`;
    return run<Checkpoint>(this.pool, live);
  }
}

function isIncluded({ group, partition, offset }: Waiter, checkpoints: readonly Checkpoint[]): boolean {
  const own = checkpoints.find((one) => one.group === group && one.partition === partition);
  return own !== undefined && own.cursor !== '' && Number(own.cursor) >= offset;
}
