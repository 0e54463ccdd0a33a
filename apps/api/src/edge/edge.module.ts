import { Module } from '@nestjs/common';
import { ProblemFilter } from '@ledgerline/platform/http/problem.filter';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { APP_FILTER } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module';
import { HealthModule } from '../health/health.module';
import { Readiness } from '../health/readiness';
import { LOGGER } from '../tokens';
import { ApiRefusals } from './api-refusals';

/** How requests are refused. */
@Module({
  imports: [AuthModule, HealthModule],
  providers: [
    {
      provide: StoreOutages,
      inject: [LOGGER, Readiness],
      useFactory: (logger: Logger, readiness: Readiness) => new StoreOutages(logger, () => readiness.hasStores()),
    },
    ApiRefusals,
    {
      provide: ProblemFilter,
      inject: [ApiRefusals, StoreOutages, LOGGER],
      useFactory: (refusals: ApiRefusals, outages: StoreOutages, logger: Logger) =>
        new ProblemFilter(refusals, outages, logger),
    },
    { provide: APP_FILTER, useExisting: ProblemFilter },
  ],
})
export class EdgeModule {}
