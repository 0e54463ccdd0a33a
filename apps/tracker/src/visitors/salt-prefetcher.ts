import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { findLinkOwners } from '@ledgerline/platform/registry/link-owners';
import { SaltCache } from '@ledgerline/platform/salts/salt-cache';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { EVENT_STORE, LOGGER, POOL } from '../tokens';

const DROP_EVERY_MS = 60_000;
/** Seldom: a click of an organization whose first link is newer obtains its salt itself. */
const PREFETCH_EVERY_MS = 600_000;

/** Loads the salts of short links before the first click needs them, and drops expired ones. */
@Injectable()
export class SaltPrefetcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    @Inject(SaltCache) private readonly salts: SaltCache,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.prefetch();
    this.timers.push(
      setInterval(() => this.salts.dropExpired(), DROP_EVERY_MS),
      setInterval(() => void this.prefetch(), PREFETCH_EVERY_MS),
    );
  }

  onApplicationShutdown(): void {
    this.timers.forEach((timer) => clearInterval(timer));
  }

  private async prefetch(): Promise<void> {
    try {
      await this.salts.prepare(await findLinkOwners(this.pool, this.store), 'daily');
    } catch (err) {
      this.logger.warn({ err }, 'the salts of short links cannot be loaded ahead');
    }
  }
}
