import { Module } from '@nestjs/common';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { NoBodyGuard } from '../http/no-body.guard';
import { Routes } from '../http/routes';
import { LimitsModule } from '../limits/limits.module';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { SETTINGS } from '../tokens';
import { AccessTokens } from './access-tokens';
import { AuthenticationGuard } from './authentication.guard';
import { Authenticator } from './authenticator';
import { MinPositionGuard } from './min-position.guard';
import { PermissionGuard } from './permission.guard';
import { StatedPermissions } from './stated-permissions';

/** Authentication, rate limit, position and permission: in this order, before every route. */
@Module({
  imports: [AccountsModule, LimitsModule, DiscoveryModule],
  providers: [
    AccessTokens,
    Authenticator,
    Routes,
    StatedPermissions,
    {
      provide: SecretStore,
      inject: [DataSource, SETTINGS],
      useFactory: (source: DataSource, { keyPepper }: Settings) => new SecretStore(source, keyPepper),
    },
    AuthenticationGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: RequestLimitGuard },
    { provide: APP_GUARD, useClass: MinPositionGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: NoBodyGuard },
  ],
  exports: [AccessTokens, AuthenticationGuard, Authenticator, LimitsModule, Routes, SecretStore],
})
export class AuthModule {}
