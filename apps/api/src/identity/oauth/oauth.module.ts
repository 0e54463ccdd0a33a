import { Module } from '@nestjs/common';
import { ResourcesModule } from '../../commands/resource.controller';
import { LimitsModule } from '../../http/limits.module';
import { AccountsModule } from '../accounts/accounts.module';
import { AuthorizationServer } from './authorization-server';
import { AuthorizeController, ConsentController, Consents } from './consent.controller';
import { EmailChangePageController } from './email-change-page.controller';
import { GrantRevocation, ManagedGrants, OAuthGrants } from './grants';
import { GrantsController, GrantsPageController } from './grants.controller';
import { OAuthMetadataController } from './metadata.controller';
import { SignInController } from './sign-in.controller';
import { StoredTokens } from './stored-tokens';
import { Tokens, TokensController } from './tokens.controller';

/** The authorization server for clients of /v1/mcp. */
@Module({
  imports: [AccountsModule, ResourcesModule, LimitsModule],
  controllers: [
    AuthorizeController,
    SignInController,
    ConsentController,
    TokensController,
    GrantsPageController,
    EmailChangePageController,
    GrantsController,
    OAuthMetadataController,
  ],
  providers: [AuthorizationServer, Consents, OAuthGrants, GrantRevocation, ManagedGrants, StoredTokens, Tokens],
  exports: [GrantRevocation, StoredTokens],
})
export class OAuthModule {}
