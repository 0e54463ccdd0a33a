import { type DynamicModule, Module } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiKeySecret } from '@ledgerline/platform/api-keys/api-key-secret.entity';
import { dataSourceOptions } from '@ledgerline/platform/database/data-source';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from './accounts/accounts.module';
import { ApiKeysModule } from './api-keys/api-keys.module';
import { AuthModule } from './auth/auth.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { FirstRunModule } from './first-run/first-run.module';
import { HealthModule } from './health/health.module';
import { HousekeepingModule } from './housekeeping/housekeeping.module';
import { HttpModule } from './http/http.module';
import { LimitsModule } from './limits/limits.module';
import { LinksModule } from './links/links.module';
import { OrganizationsModule } from './organizations/organizations.module';
import { PlatformModule } from './platform.module';
import { QueryModule } from './query/http/query.module';
import { WebsitesModule } from './websites/websites.module';

/** The whole api: it decides, answers and audits. */
@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(settings, logger),
        TypeOrmModule.forRoot({
          ...dataSourceOptions({ url: settings.databaseUrl, name: 'api-entities', max: 4, entities: [ApiKeySecret] }),
          retryAttempts: 0,
        }),
        HttpModule,
        LimitsModule,
        AccountsModule,
        AuthModule,
        HealthModule,
        OrganizationsModule,
        WebsitesModule,
        LinksModule,
        ApiKeysModule,
        QueryModule,
        FirstRunModule,
        DiscoveryModule,
        HousekeepingModule,
      ],
    };
  }
}
