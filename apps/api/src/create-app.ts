import 'reflect-metadata';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { HostOptions } from '@ledgerline/platform/http/host-adapter';
import { ProblemFilter } from '@ledgerline/platform/http/problem.filter';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { NestLogger } from '@ledgerline/platform/logging/nest-logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { observeRequests } from '@ledgerline/platform/metrics/request-metrics';
import { traceRequests } from '@ledgerline/platform/tracing/trace-requests';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { traceMessages } from './commands/trace-messages';
import { OpenApi } from './discovery/open-api';
import { isForAll } from './edge/cors';
import { httpAdapter } from './edge/http-adapter';
import { RequestLimitGuard } from './limits/request-limit.guard';

/** The api, wired but not listening. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  host: Pick<HostOptions, 'requestTimeoutMs'> = {},
): Promise<NestFastifyApplication> {
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const module = AppModule.with(settings, logger);
  const adapter = httpAdapter(settings, host);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  const filter = app.get(ProblemFilter);
  adapter.refuse = (problem, request, reply) => void filter.refuse(problem, request, reply);
  const limits = app.get(RequestLimitGuard);
  adapter.countPreflight = (request, reply) => limits.count(isForAll(request.url) ? 'public' : 'api', request, reply);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  app.get(OpenApi).describe(app);
  observeRequests(adapter.getInstance(), app.get(Metrics));
  traceRequests(adapter.getInstance(), { joins: true });
  traceMessages(app);
  return app;
}
