import { Module } from '@nestjs/common';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { AccountsModule } from '../accounts/accounts.module';
import { MailFiles } from '../accounts/mail-files';
import { People } from '../accounts/people';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { OrphanedSecrets } from '../api-keys/orphaned-secrets';
import { CommandsModule } from '../commands/commands.module';
import { IdempotencyStore } from '../commands/idempotency-store';
import { LimitsModule } from '../limits/limits.module';
import { RequestCounts } from '../limits/request-counts';
import { OAuthModule } from '../oauth/oauth.module';
import { StoredTokens } from '../oauth/stored-tokens';
import { InvitationAddresses } from '../organizations/invitation-addresses';
import { OrganizationsModule } from '../organizations/organizations.module';
import { LOGGER } from '../tokens';
import { Housekeeping, type Sweeper } from './housekeeping';

/** Everything that expires is swept here. */
@Module({
  imports: [AccountsModule, LimitsModule, CommandsModule, ApiKeysModule, OAuthModule, OrganizationsModule],
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
      ],
      useFactory: (logger: Logger, ...sweepers: Sweeper[]) => new Housekeeping(logger, sweepers),
    },
  ],
})
export class HousekeepingModule {}
