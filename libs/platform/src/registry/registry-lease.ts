import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { revokesAccess, TYPES_THAT_REVOKE_ACCESS } from '@ledgerline/contracts/record-kinds';
import { orUnavailable } from '../database/database-errors';
import { openPool, type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { type Cursor, LogUnavailable } from '../log/log-reader';
import type { Logger } from '../logging/logger';
import type { EventFold, LiveRegistry } from './live-registry';

const RENEWED_EVERY_MS = 500;
const RETRIED_AFTER_MS = 100;
const MAX_ATTEMPTS = 3;
const ATTEMPT_MS = 1_000;

/** A connection of its own: a renewal never waits for a query. */
const leasePool = (url: string, process: string): Pool =>
  openPool({ url, name: `${process}-lease`, max: 1, statementTimeoutMs: ATTEMPT_MS, queryTimeoutMs: ATTEMPT_MS });

/**
 * Permission to rely on the registry of this process. The row in `key_leases` names the position that is applied; what
 * takes rights away is answered only when every row has passed it, or was deleted because it was not renewed in time.
 */
export class RegistryLease implements EventFold, OnApplicationBootstrap {
  readonly types = TYPES_THAT_REVOKE_ACCESS;
  private readonly pool: Pool;
  private id: string | undefined;
  /** TRICKY: true when the registry has reached a head that was read after the row existed: a writer that looked before did not wait. */
  private isComplete = false;
  private validUntil = 0;
  private isStopped = false;
  private wake = new AbortController();
  private readonly waiting = new Set<() => void>();
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly live: Pick<LiveRegistry, 'position' | 'catchUp' | 'ready' | 'isHeld' | 'includes' | 'add'>,
    databaseUrl: string,
    private readonly process: 'api' | 'tracker',
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {
    this.pool = leasePool(databaseUrl, process);
  }

  onApplicationBootstrap(): void {
    this.live.add(this);
    this.renewing = this.keepRenewing();
  }

  /**
   * Evaluates the registry while it is certain to hold every event that a command has answered for; where it lacks
   * what only a newer event explains, it catches up first.
   * TRICKY: nothing is awaited between the check of the lease and the evaluation.
   * @throws LogUnavailable when the lease cannot be renewed
   */
  async whileHeld<T>(evaluate: () => T, lacks: () => boolean = () => false): Promise<T> {
    if (lacks()) await this.live.catchUp();
    for (let attempts = 0; attempts < MAX_ATTEMPTS && !this.isHeld(); attempts++) await this.nextRenewal();
    if (!this.isHeld()) throw new LogUnavailable('This process cannot prove that its registry is up to date.');
    return evaluate();
  }

  /** Waiting commands are answered as soon as the position moves past their event. */
  apply(event: Recorded): void {
    if (revokesAccess(event)) setImmediate(() => this.wake.abort());
  }

  /** After the registry was closed. No command waits for a process that has ended by itself. */
  async release(): Promise<void> {
    this.isStopped = true;
    this.validUntil = 0;
    this.wake.abort();
    await this.renewing;
    if (this.id !== undefined) await run(this.pool, sql`delete from key_leases where id = ${this.id}`).catch(() => []);
    await this.pool.end();
  }

  private isHeld(): boolean {
    return performance.now() < this.validUntil;
  }

  private async nextRenewal(): Promise<void> {
    const renewed = new AbortController();
    const look = () => renewed.abort();
    this.waiting.add(look);
    this.wake.abort();
    await setTimeout(ATTEMPT_MS, undefined, { signal: renewed.signal }).catch(() => undefined);
    this.waiting.delete(look);
  }

  private async keepRenewing(): Promise<void> {
    await this.live.ready.catch(() => undefined);
    let isFailing = false;
    while (!this.isStopped) {
      this.wake = new AbortController(); // before the renewal, so that what is applied meanwhile causes another
      const { signal } = this.wake;
      const failure = await this.renew().catch((err: unknown) => ({ err }));
      if (failure && !isFailing) this.logger.warn(failure, 'the lease on the registry cannot be renewed; trying again');
      if (!failure && isFailing) this.logger.info('the lease on the registry is renewed again');
      isFailing = failure !== undefined;
      for (const look of this.waiting) look();
      if (isFailing) await setTimeout(RETRIED_AFTER_MS);
      else await setTimeout(RENEWED_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async renew(): Promise<undefined> {
    this.id ??= await this.insert();
    if (!this.isComplete) await this.complete();
    this.isComplete = true;
    const sentAt = performance.now();
    const rows = await run(
      this.pool,
      sql`update key_leases set position = ${this.live.position}, renewals = renewals + 1 where id = ${this.id}
          returning id`,
    );
    if (rows.length === 1) {
      this.validUntil = sentAt + LEASE_MS;
      return undefined;
    }
    this.validUntil = 0;
    this.id = undefined;
    this.isComplete = false;
    return this.renew();
  }

  /** While the event store is away, what the read models hold is complete if it includes every revocation answered for. */
  private async complete(): Promise<void> {
    const kept = await newestRevocations(this.pool);
    try {
      await this.live.catchUp();
    } catch (error) {
      const isKnown = this.live.isHeld && kept.length > 0 && kept.every((position) => this.live.includes(position));
      if (error instanceof LogUnavailable && isKnown) return;
      throw error;
    }
    if (kept.length === 0) await keepRevocation(this.pool, this.live.position);
  }

  private async insert(): Promise<string> {
    const id = randomUUID();
    await run(
      this.pool,
      sql`insert into key_leases (id, process, position) values (${id}, ${this.process}, ${this.live.position})`,
    );
    return id;
  }
}

/** The time, ms, for which a process may rely on its registry after a renewal was sent; its monotonic clock counts. */
const LEASE_MS = 2_000;
/** More than a lease, as the clocks of two machines do not run at exactly the same rate. */
const EXPIRED_AFTER_MS = LEASE_MS + 50;
const LOOKED_EVERY_MS = 10;
const MAX_MS = 5_000;

interface Lease {
  readonly id: string;
  readonly position: Cursor;
  readonly renewals: string;
}

/** Waits until no process relies on a registry that lacks an event (see {@link RegistryLease}). */
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
const newestRevocations = async (database: Queryable): Promise<Cursor[]> =>
  (await run<{ position: Cursor }>(database, sql`select position from newest_revocations`)).map(
    ({ position }) => position,
  );

const keepRevocation = (database: Queryable, position: Cursor) =>
  run(database, sql`insert into newest_revocations (position) values (${position}) on conflict do nothing`);
