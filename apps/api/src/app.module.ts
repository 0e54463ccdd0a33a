import { type DynamicModule, Module } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeySecret } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import { dataSourceOptions } from '@ledgerline/platform/database/data-source';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { ProfileKey } from '@ledgerline/platform/profiles/profile-keys';
import { McpModule } from './agents/mcp.controller';
import { AlertWorkerModule } from './alerts/alert-worker.module';
import { AlertsModule } from './alerts/alerts.controller';
import { AuditLogModule } from './audit/audit-log.controller';
import { ErasuresModule } from './audit/erasures/erasures.controller';
import { CommandsModule } from './commands/command-runner';
import { ConsoleModule } from './console/console.controller';
import { DestinationsModule } from './destinations/destinations.controller';
import { EdgeModule } from './edge.module';
import { FlagsModule } from './flags/flags.controller';
import { LimitsModule } from './http/limits.module';
import { DtoPipe } from './http/validation';
import { AccountsModule } from './identity/accounts/accounts.module';
import { AuthModule } from './identity/auth/auth.module';
import { OAuthModule } from './identity/oauth/oauth.module';
import { AccountDeletionModule } from './identity/self-service/account-deletion';
import { PasswordsModule } from './identity/self-service/passwords.controller';
import { SignUpModule } from './identity/self-service/sign-up.controller';
import { LinksModule } from './links/links.controller';
import { TagsModule } from './links/tags';
import { Demo, DemoCommands } from './operations/demo';
import { HealthModule } from './operations/health.controller';
import { HousekeepingModule } from './operations/housekeeping';
import { MetricsModule } from './operations/metrics.controller';
import { ApiKeysModule } from './organizations/api-keys.controller';
import { OrganizationsModule } from './organizations/organizations.module';
import { PlatformModule } from './platform.module';
import { GoalsModule } from './query/goals/goals.controller';
import { QueryModule } from './query/http/query.controller';
import { LiveModule } from './query/live/live.controller';
import { DiscoveryModule } from './reference/discovery.controller';
import { ReferenceModule } from './reference/reference.controller';
import { ReportsModule } from './reports/reports.controller';
import { SharesModule } from './shares/shares.controller';
import { MonitorsModule } from './status/monitors.controller';
import { StatusPagesModule } from './status/status-pages.controller';
import { AnnotationsModule } from './websites/annotations';
import { SavedViewsModule } from './websites/saved-views';
import { WebsitesModule } from './websites/websites.controller';

/** The whole api: commands, queries and the audit log. */
@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    const entities = { url: settings.databaseUrl, name: 'api-entities', max: 4, entities: [ApiKeySecret, ProfileKey] };
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(settings, logger),
        TypeOrmModule.forRoot({ ...dataSourceOptions(entities), retryAttempts: 0 }),
        LimitsModule,
        AccountsModule,
        AuthModule,
        EdgeModule,
        CommandsModule,
        OrganizationsModule,
        SignUpModule,
        WebsitesModule,
        LinksModule,
        FlagsModule,
        GoalsModule,
        SavedViewsModule,
        TagsModule,
        AnnotationsModule,
        MonitorsModule,
        StatusPagesModule,
        SharesModule,
        DestinationsModule,
        AlertsModule,
        AlertWorkerModule,
        ReportsModule,
        ApiKeysModule,
        OAuthModule,
        PasswordsModule,
        AuditLogModule,
        AccountDeletionModule,
        ErasuresModule,
        QueryModule,
        LiveModule,
        DiscoveryModule,
        ReferenceModule,
        ConsoleModule,
        McpModule,
        HealthModule,
        MetricsModule,
        HousekeepingModule,
      ],
      providers: [{ provide: APP_PIPE, useClass: DtoPipe }, DemoCommands, Demo],
    };
  }
}
