import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import { observeRequests, traceRequests } from '@ledgerline/platform/http/observe-requests';
import { ProblemFilter } from '@ledgerline/platform/http/problem.filter';
import { type Logger, NestLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { trackerHttpAdapter, tooManyRequests } from './http/http-adapter';
import { RateLimits, setRateLimitHeaders } from './http/rate-limits';
import { TrackerModule } from './tracker.module';

/** The tracker, wired but not listening. */
export async function createTracker(
  settings: Settings,
  logger: Logger,
  host: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
): Promise<NestFastifyApplication> {
  const options = { logger: new NestLogger(logger), abortOnError: false };
  const module = TrackerModule.with(settings, logger);
  const adapter = trackerHttpAdapter(settings, host);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  const filter = app.get(ProblemFilter);
  app.useGlobalFilters(filter);
  adapter.refuse = (problem, request, reply) => void filter.refuse(problem, request, reply);
  adapter.countPreflight = (request, reply) => countPreflight(app.get(RateLimits), request, reply);
  observeRequests(adapter.getInstance(), app.get(Metrics));
  traceRequests(adapter.getInstance(), { joins: false }); // ids that visitors choose could name them
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
  return app;
}

/** @throws Problem RATE_LIMITED */
function countPreflight(limits: RateLimits, { ip }: FastifyRequest, reply: FastifyReply): void {
  const limit = limits.take('preflight', countedAddress(ip), 1);
  setRateLimitHeaders(limit, reply);
  if (limit.exceeded) throw tooManyRequests(limit.resetSeconds);
}
