import { Module } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ThrottlerModule, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { SETTINGS } from '../tokens';
import { allowanceOf } from './budgets';
import { RequestCounts } from './request-counts';
import { RequestLimitGuard } from './request-limit.guard';

@Module({ providers: [RequestCounts], exports: [RequestCounts] })
class CountsModule {}

/** How many requests each caller may make. */
@Module({
  imports: [
    CountsModule,
    ThrottlerModule.forRootAsync({
      imports: [CountsModule],
      inject: [RequestCounts, SETTINGS, Registry],
      useFactory: (storage: RequestCounts, { limits }: Settings, registry: Registry): ThrottlerModuleOptions => ({
        storage,
        throttlers: [
          {
            limit: (context) => allowanceOf(context, limits, registry).max,
            ttl: (context) => allowanceOf(context, limits, registry).windowMs,
            getTracker: (_, context) => allowanceOf(context, limits, registry).key,
            generateKey: (_, tracker) => tracker,
          },
        ],
      }),
    }),
  ],
  providers: [RequestLimitGuard],
  exports: [CountsModule, RequestLimitGuard],
})
export class LimitsModule {}
