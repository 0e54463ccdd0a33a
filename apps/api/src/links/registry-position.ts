import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { EVENT_STORE, POOL } from '../tokens';

const POLL_MS = 20;

/** How far the read models of the registry are. */
@Injectable()
export class RegistryPosition {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'compare'>,
  ) {}

  /** True as soon as they include this position, false when the time is over (by `performance.now()`). */
  async hasReached(position: Cursor, until: number): Promise<boolean> {
    for (;;) {
      const cursor = await this.read();
      if (cursor !== undefined && this.store.compare(cursor, position) >= 0) return true;
      if (performance.now() + POLL_MS > until) return false;
      await setTimeout(POLL_MS);
    }
  }

  private async read(): Promise<Cursor | undefined> {
    const live = sql`
      select c.cursor from projection_groups g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where g.name = 'registry'`;
    return (await run<{ cursor: Cursor }>(this.pool, live))[0]?.cursor;
  }
}
