import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { SIGNED_WITHIN_MS, signedBefore } from '@ledgerline/platform/event-store/head-signer';
import { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import {
  ALL_ORGANIZATIONS,
  type FaultRow,
  SealingFaults,
  readSealingFaults,
} from '@ledgerline/platform/event-store/verify-chain';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { sealingLag } from '@ledgerline/platform/read-stores/projection-states';

interface Parts {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly settings: Pick<Settings, 'auditSigningKey' | 'eventStoreUrl'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The faults that the watch on an EventStoreDB has found. */
  readonly faults?: SealingFaults;
  /** ms, from any beginning. */
  readonly now?: () => number;
}

/** The last time that a date can be. */
const END_OF_TIME = new Date(8.64e15);
const PACE_MS = 2_000;
/** A projector signs within a second. */
const LATE_MS = 30_000;

/**
 * Watches for what this process itself finds wrong with the hash chains and their signatures, until it finds it right:
 * the database could deny what a projector has found.
 */
export class SealingWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly faults: SealingFaults;
  private readonly watch: HeadSigning | undefined;

  constructor(private readonly parts: Parts) {
    const { store, pool: database, settings, logger, now } = parts;
    this.faults = parts.faults ?? new SealingFaults();
    const { auditSigningKey: key, eventStoreUrl } = settings;
    if (eventStoreUrl !== undefined) return; // the event store has a watch itself
    const statements = new StatementChain({ database, key, logger });
    const own = { statements, faults: this.faults, keyId: keyIdOf(key), isWatch: true, paceMs: PACE_MS };
    this.watch = new HeadSigning({ store, database, logger, ...own, ...(now ? { now } : {}) });
  }

  onApplicationBootstrap(): void {
    this.watch?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.watch?.stop();
  }

  /** Looks once. @throws LogUnavailable */
  async look(): Promise<void> {
    await this.watch?.sign();
  }

  /** Faults that projectors have written, and those of this process. */
  async report(database: Pool, limit: number): Promise<FaultRow[]> {
    const written = await readSealingFaults(database, limit);
    const late = (this.watch?.unsignedFor(LATE_MS) ?? []).map((organization) => ({
      organization,
      reason: `Its newest events have not been signed for ${LATE_MS / 1_000} s.`,
      since: new Date(Date.now() - LATE_MS).toISOString(),
    }));
    const rows = [...written, ...this.faults.rows, ...late];
    return rows
      .filter(({ organization }, at) => rows.findIndex((row) => row.organization === organization) === at)
      .slice(0, limit);
  }

  /** As `sealingLag`. @throws LogUnavailable */
  lag(database: Pool): Promise<number | undefined> {
    const { settings, store } = this.parts;
    return sealingLag(settings, database, store);
  }

  /** Why the history of an organization is not sealed; undefined where nothing is known. @throws LogUnavailable */
  async faultOf(organization: string): Promise<string | undefined> {
    const rows = [...this.faults.rows, ...(await readSealingFaults(this.parts.pool))];
    return rows.find((row) => [organization, ALL_ORGANIZATIONS].includes(row.organization))?.reason;
  }

  /**
   * Events recorded before this time should have been signed by now: all of them where this process saw one that should,
   * whatever time the database holds. Undefined on EventStoreDB, where the store itself says which.
   */
  overdueBefore(organization: string): Date | undefined {
    if (!this.watch) return undefined;
    return this.watch.unsignedFor(SIGNED_WITHIN_MS).includes(organization) ? END_OF_TIME : signedBefore();
  }
}
