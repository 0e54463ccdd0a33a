import 'reflect-metadata';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { NestLogger } from '@ledgerline/platform/logging/nest-logger';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { httpAdapter } from './http/http-adapter';
import { ProblemFilter } from './http/problem.filter';
import { TrackerModule } from './tracker.module';

/** The tracker, wired but not listening. */
export async function createTracker(settings: Settings, logger: Logger): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    TrackerModule.with(settings, logger),
    httpAdapter(settings),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  app.useGlobalFilters(new ProblemFilter(logger));
  app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
  return app;
}
