import 'reflect-metadata';
import { loadSettings } from '@ledgerline/platform/config/settings';
import { startOrExplain } from '@ledgerline/platform/config/start-failure';
import { logUnknownEvents } from '@ledgerline/platform/log/log-reader';
import { createLogger, NestLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { NestFactory } from '@nestjs/core';
import { ProjectorModule } from './projector.module';

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger('projector', settings.logLevel);
  logUnknownEvents(logger);
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(ProjectorModule.with(settings, logger), options);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  app.get(Metrics).observeProcess();
  if (process.connected) process.send?.('ready'); // to the supervisor, as the projector needs no port
  logger.info('the projector is running');
}

startOrExplain(main);
