import { Controller, Get, Inject, Module, Req, Res } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { observeCopying } from '@ledgerline/kafka/copying';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { assertMayReadMetrics, Metrics } from '@ledgerline/platform/metrics/metrics';
import { observeProjections } from '@ledgerline/platform/metrics/projection-metrics';
import { observeBackups } from '@ledgerline/platform/processes/backups';
import { observeProcesses } from '@ledgerline/platform/processes/store-checks';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { Budget, OwnCredential, Public } from '../http/route';
import { EVENT_STORE, POOL, SETTINGS } from '../tokens';

/** The metrics have a credential of their own, which is neither a key nor a session. */
@ApiTags('Health')
@Controller('metrics')
@Public()
@Budget('probes')
@OwnCredential()
class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Metrics for Prometheus',
    description:
      'With `METRICS_TOKEN` set, for who sends it as `Authorization: Bearer`; else for requests of the same machine. The tracking host has this route too.',
  })
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  @ApiForbiddenResponse({ $ref: '#/components/responses/Forbidden' } as object)
  read(@Req() { raw }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    assertMayReadMetrics(raw, this.settings.metricsToken);
    void reply.type(this.metrics.registry.contentType);
    return this.metrics.text();
  }
}

/** Provides the metrics that operators watch. */
@Module({ controllers: [MetricsController] })
export class MetricsModule {
  constructor(
    metrics: Metrics,
    { all: stores }: ReadStores,
    @Inject(POOL) main: Pool,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(SETTINGS) settings: Settings,
  ) {
    observeProjections(metrics, { main, stores, eventStore, settings });
    observeCopying(metrics, main);
    observeProcesses(metrics, main);
    observeBackups(metrics, main);
  }
}
