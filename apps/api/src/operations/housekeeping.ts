import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { AlertsModule } from '../alerts/alerts.controller';
import { AlertPauses } from '../alerts/pause-alerts';
import { IdempotencyStore } from '../commands/command-context';
import { OwnRecords } from '../commands/resource.commands';
import { ResourcesModule } from '../commands/resource.controller';
import { LimitsModule, RequestCounts } from '../http/limits.module';
import { AccountsModule } from '../identity/accounts/accounts.module';
import { MailFiles } from '../identity/accounts/mailer';
import { People } from '../identity/accounts/people';
import { SignIns } from '../identity/accounts/sign-ins';
import { OAuthModule } from '../identity/oauth/oauth.module';
import { StoredTokens } from '../identity/oauth/stored-tokens';
import { OrphanedSecrets } from '../organizations/api-keys';
import { ApiKeysModule } from '../organizations/api-keys.controller';
import { InvitationAddresses } from '../organizations/invitation-addresses';
import { OrganizationsModule } from '../organizations/organizations.module';
import { LOGGER } from '../tokens';
import { Favicons } from '../websites/favicons';
import { WebsitesModule } from '../websites/websites.controller';

const EVERY_MS = 10 * 60_000;

/** Deletes what has expired; a number that it returns is how much that was. */
interface Sweeper {
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

/** Everything that expires is swept here. */
@Module({
  imports: [
    AccountsModule,
    AlertsModule,
    LimitsModule,
    ResourcesModule,
    ApiKeysModule,
    OAuthModule,
    OrganizationsModule,
    WebsitesModule,
  ],
  providers: [
    {
      provide: Housekeeping,
      inject: [
        LOGGER,
        RequestCounts,
        IdempotencyStore,
        OrphanedSecrets,
        InvitationAddresses,
        StoredTokens,
        MailFiles,
        People,
        SignIns,
        Favicons,
        OwnRecords,
        AlertPauses,
      ],
      useFactory: (logger: Logger, ...sweepers: Sweeper[]) => new Housekeeping(logger, sweepers),
    },
  ],
})
export class HousekeepingModule {}
