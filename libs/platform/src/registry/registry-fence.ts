import { setTimeout } from 'node:timers/promises';
import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { LogUnavailable, type Cursor } from '../log/log-reader';

/** How long a process may rely on its registry after a renewal was sent; its monotonic clock counts. */
export const LEASE_MS = 2_000;
/** More than a lease, as the clocks of two machines do not run at exactly the same rate. */
const EXPIRED_AFTER_MS = LEASE_MS + 50;
const LOOKED_EVERY_MS = 10;
const MAX_MS = 5_000;

interface Lease {
  readonly id: string;
  readonly position: Cursor;
  readonly renewals: string;
}

/** Waits until no process relies on a registry that lacks an event (see KeyLease). */
export class RegistryFence {
  constructor(
    private readonly database: Queryable,
    private readonly store: Pick<EventStore, 'compare'>,
  ) {}

  /**
   * TRICKY: the position is kept before the leases are read, and a process that begins without the event store reads what
   * is kept after it has a lease: so either it sees this position, or its lease is waited for.
   * @throws LogUnavailable when a process goes on renewing its lease without applying the event
   */
  async passed(position: Cursor): Promise<void> {
    await orUnavailable('The leases', () => this.keep(position));
    const firstSeen = new Map<string, number>();
    const giveUpAt = performance.now() + MAX_MS;
    for (;;) {
      const leases = await orUnavailable('The leases', () =>
        run<Lease>(this.database, sql`select id, position, renewals from key_leases`),
      );
      const behind = leases.filter((lease) => this.store.compare(lease.position, position) < 0);
      if (behind.length === 0) return;
      const now = performance.now();
      for (const lease of behind) {
        const renewal = `${lease.id} ${lease.renewals}`;
        const since = firstSeen.get(renewal) ?? now;
        firstSeen.set(renewal, since);
        if (now - since >= EXPIRED_AFTER_MS) await this.expire(lease);
      }
      if (now > giveUpAt) throw new LogUnavailable('A process has not applied the change in time.');
      await setTimeout(LOOKED_EVERY_MS);
    }
  }

  private async keep(position: Cursor): Promise<void> {
    const kept = await newestRevocations(this.database);
    if (kept.some((other) => this.store.compare(other, position) >= 0)) return;
    await keepRevocation(this.database, position);
    if (kept.length > 0) await run(this.database, sql`delete from newest_revocations where position = any(${kept})`);
  }

  /** Not renewed for as long as it is valid: its process no longer relies on it, and needs a new one. */
  private async expire({ id, renewals }: Lease): Promise<void> {
    await run(this.database, sql`delete from key_leases where id = ${id} and renewals = ${renewals}`);
  }
}

/** Nothing that takes rights away was answered for beyond the newest of these; none where that is not known. */
export const newestRevocations = async (database: Queryable): Promise<Cursor[]> =>
  (await run<{ position: Cursor }>(database, sql`select position from newest_revocations`)).map(
    ({ position }) => position,
  );

export const keepRevocation = (database: Queryable, position: Cursor) =>
  run(database, sql`insert into newest_revocations (position) values (${position}) on conflict do nothing`);
