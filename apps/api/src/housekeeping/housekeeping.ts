import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { IdempotencyStore } from '../commands/idempotency-store';
import { RequestCounts } from '../limits/request-counts';
import { LOGGER } from '../tokens';

const EVERY_MS = 10 * 60_000;
/** Far longer than a command can wait between its secret and its event. */
const ORPHAN_AGE_MS = 60 * 60_000;

/** Clears away what nobody needs any more. Several processes may do so at once. */
@Injectable()
export class Housekeeping implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly secrets: SecretStore,
    private readonly idempotency: IdempotencyStore,
    private readonly counts: RequestCounts,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.tidy().catch((err: unknown) => this.logger.warn({ err }, 'tidying up failed; it is tried again later'));
    }, EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async tidy(now = new Date()): Promise<void> {
    await this.counts.sweep();
    await this.idempotency.sweep();
    // with a registry that lags, the secret of a new key would be deleted as an orphan
    await this.live.catchUp();
    const isLive = ({ keyId, secretId }: { keyId: string; secretId: string }) =>
      this.registry.key(keyId)?.secretId === secretId;
    const swept = await this.secrets.sweep(isLive, new Date(now.getTime() - ORPHAN_AGE_MS));
    if (swept > 0) this.logger.info({ swept }, 'secrets that no key names were deleted');
  }
}
