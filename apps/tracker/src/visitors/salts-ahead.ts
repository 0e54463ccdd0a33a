import { SaltKeeper } from '@ledgerline/platform/salts/salt-keeper';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LiveDirectory } from '../registry/live-directory';
import { LOGGER } from '../tokens';

const FORGET_EVERY_MS = 60_000;
const PREPARE_EVERY_MS = 3_600_000;

/** Has the salts of short links in memory before the first click needs them, and forgets those that are dead. */
@Injectable()
export class SaltsAhead implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    @Inject(SaltKeeper) private readonly salts: SaltKeeper,
    @Inject(LiveDirectory) private readonly directory: LiveDirectory,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.directory.caughtUp();
    await this.prepare([...this.directory.linkOwners]);
    this.directory.watchLinkOwners((organizationId) => void this.prepare([organizationId]));
    this.timers.push(
      setInterval(() => this.salts.forgetTheDead(), FORGET_EVERY_MS),
      setInterval(() => void this.prepare([...this.directory.linkOwners]), PREPARE_EVERY_MS),
    );
  }

  onApplicationShutdown(): void {
    this.timers.forEach((timer) => clearInterval(timer));
  }

  private prepare(organizations: readonly string[]): Promise<void> {
    return this.salts.prepare(organizations, 'daily').catch((err: unknown) => {
      this.logger.warn({ err }, 'the salts of short links cannot be prepared just now');
    });
  }
}
