import 'reflect-metadata';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { NestLogger } from '@ledgerline/platform/logging/nest-logger';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { OpenApi } from './discovery/open-api';
import { httpAdapter } from './http/http-adapter';

/** The api, wired but not listening. */
export async function createApp(settings: Settings, logger: Logger): Promise<NestFastifyApplication> {
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const module = AppModule.with(settings, logger);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest takes its options as plain objects
  const app = await NestFactory.create<NestFastifyApplication>(module, httpAdapter(settings), options);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  app.get(OpenApi).describe(app);
  return app;
}
