import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { VisitorSalts } from '@ledgerline/platform/salts/visitor-salts';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '../tokens';
import { VisitPeriods } from './visit-periods';

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
