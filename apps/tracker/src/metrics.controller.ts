import type { Settings } from '@ledgerline/platform/config/settings';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { assertMayReadMetrics } from '@ledgerline/platform/metrics/metrics-access';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS } from './tokens';

/** Metrics for Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  read(@Req() { raw }: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    assertMayReadMetrics(raw, this.settings.metricsToken);
    void reply.type(this.metrics.registry.contentType);
    return this.metrics.text();
  }
}
