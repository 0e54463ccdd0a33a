import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@ledgerline/platform/logging/logger';

const EVERY_MS = 10 * 60_000;

/** Deletes what has expired; a number that it returns is how much that was. */
export interface Sweeper {
  sweep(now: Date): Promise<unknown>;
}

/** Deletes what has expired. Several processes may do so at once. */
export class Housekeeping implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly sweepers: readonly Sweeper[],
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
    for (const sweeper of this.sweepers) {
      const deleted = await sweeper.sweep(now);
      if (typeof deleted === 'number' && deleted > 0)
        this.logger.info({ deleted, sweeper: sweeper.constructor.name }, 'deleted what has expired');
    }
  }
}
