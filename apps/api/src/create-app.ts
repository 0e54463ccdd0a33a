import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import { observeRequests, traceRequests } from '@ledgerline/platform/http/observe-requests';
import { ProblemFilter } from '@ledgerline/platform/http/problem.filter';
import { type Logger, NestLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { currentTracer, withSpan } from '@ledgerline/platform/tracing/tracing';
import { AppModule } from './app.module';
import { Resources } from './commands/resource';
import type { TypedCommand } from './commands/resource.commands';
import { apiHttpAdapter, isPublicUrl } from './http-adapter';
import { RequestLimitGuard } from './http/limits.module';
import { OpenApi } from './reference/open-api';

/** The api, wired but not listening. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  host: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
): Promise<NestFastifyApplication> {
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const module = AppModule.with(settings, logger);
  const adapter = apiHttpAdapter(settings, host);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  const filter = app.get(ProblemFilter);
  adapter.refuse = (problem, request, reply) => void filter.refuse(problem, request, reply);
  const limits = app.get(RequestLimitGuard);
  adapter.countPreflight = (request, reply) =>
    limits.count(isPublicUrl(request.url) ? 'public' : 'api', request, reply);
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  app.get(OpenApi).describe(app);
  observeRequests(adapter.getInstance(), app.get(Metrics));
  traceRequests(adapter.getInstance(), { joins: true });
  traceMessages(app);
  return app;
}

/** A span for each command and each query that is executed, with the type of the command, or else the name of its class. */
function traceMessages(app: { get<T>(type: abstract new (...parts: never[]) => T): T }): void {
  if (currentTracer() === undefined) return;
  const resources = app.get(Resources);
  const buses: readonly Bus[] = [app.get(CommandBus), app.get(QueryBus)];
  for (const bus of buses) {
    const execute = bus.execute.bind(bus);
    bus.execute = (message: object) => withSpan(typeOf(message, resources), {}, () => execute(message));
  }
}

const typeOf = (message: object, resources: Resources): string =>
  'typeIn' in message ? (message as TypedCommand).typeIn(resources) : message.constructor.name;

/** The method that both buses have. */
interface Bus {
  execute(message: object): Promise<unknown>;
}
