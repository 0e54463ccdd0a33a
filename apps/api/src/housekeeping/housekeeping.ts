import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OrphanedSecrets } from '../api-keys/orphaned-secrets';
import { IdempotencyStore } from '../commands/idempotency-store';
import { RequestCounts } from '../limits/request-counts';
import { LOGGER } from '../tokens';

const EVERY_MS = 10 * 60_000;

/** Deletes what has expired. Several processes may do so at once. */
@Injectable()
export class Housekeeping implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly counts: RequestCounts,
    private readonly idempotency: IdempotencyStore,
    private readonly secrets: OrphanedSecrets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((err: unknown) => this.logger.warn({ err }, 'housekeeping failed; it is tried again later'));
    }, EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async sweep(now = new Date()): Promise<void> {
    await this.counts.sweep();
    await this.idempotency.sweep();
    const deleted = await this.secrets.sweep(now);
    if (deleted > 0) this.logger.info({ deleted }, 'secrets that no key names were deleted');
  }
}
