import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { VisitorSalts } from '@ledgerline/platform/salts/visitor-salts';
import { ClickRecorder } from './click-spool/click-recorder';
import { ENTITIES, INTAKE_LOG, LOGGER, POOL } from './tokens';
import { VisitPeriods } from './visitors/visit-periods';

/** The order in which everything ends once no request is left. */
@Injectable()
export class ShutdownSequence implements OnApplicationShutdown {
  constructor(
    @Inject(ClickRecorder) private readonly clicks: ClickRecorder,
    @Inject(INTAKE_LOG) private readonly log: IntakeSender,
    @Inject(LiveRegistry) private readonly live: LiveRegistry,
    @Inject(RegistryLease) private readonly lease: RegistryLease,
    @Inject(ENTITIES) private readonly entities: DataSource,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.clicks.close();
    await this.log.close();
    await this.live.close();
    await this.lease.release();
    await Promise.all([this.entities.destroy(), this.pool.end()]);
  }
}

const REFRESH_EVERY_MS = 60_000;

/** Loads the salts before the first request, and refreshes them every minute; then visits that are over are forgotten too. */
@Injectable()
export class SaltRefresher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly outage: OutageLog;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(VisitorSalts) private readonly salts: VisitorSalts,
    @Inject(VisitPeriods) private readonly visitPeriods: VisitPeriods,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.outage = new OutageLog(logger, {
      began: 'the salts of the coming day cannot be stored; trying again every minute',
      ended: 'the salts of the coming day are stored',
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.salts.load();
    this.timer = setInterval(() => void this.refresh(), REFRESH_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    this.visitPeriods.dropEnded(Date.now());
    try {
      await this.salts.refresh();
      this.outage.succeeded();
    } catch (err) {
      this.outage.failed(err);
    }
  }
}
