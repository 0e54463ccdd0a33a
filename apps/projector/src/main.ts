import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import { startOrExplain } from '@ledgerline/platform/config/start-failure';
import { logUnknownEvents } from '@ledgerline/platform/log/log-reader';
import { createLogger, type Logger, NestLogger } from '@ledgerline/platform/logging/logger';
import { Metrics, heapLimitMb } from '@ledgerline/platform/metrics/metrics';
import { startAppWhenUp } from '@ledgerline/platform/processes/start-when-up';
import { ProjectorModule } from './projector.module';

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger('projector', settings.logLevel);
  logUnknownEvents(logger);
  const waiting = { port: settings.projectorMetricsPort, logger, onWaiting: tellSupervisor };
  await startAppWhenUp('projector', settings, waiting, () => start(settings, logger));
}

async function start(settings: Settings, logger: Logger): Promise<void> {
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const app = await NestFactory.createApplicationContext(ProjectorModule.with(settings, logger), options);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  app.get(Metrics).observeProcess();
  tellSupervisor();
  logger.info({ heapMb: heapLimitMb() }, 'the projector is running');
}

/** Tells the supervisor that it runs, or waits for its database, as the projector needs no port. */
function tellSupervisor(): void {
  if (process.connected) process.send?.('ready');
}

startOrExplain(main);
