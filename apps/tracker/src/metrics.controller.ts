import type { Settings } from '@ledgerline/platform/config/settings';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { assertMayReadMetrics } from '@ledgerline/platform/metrics/metrics-access';
import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS } from './tokens';

/** Metrics for Prometheus. */
@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  read(@Req() { raw }: FastifyRequest): Promise<string> {
    assertMayReadMetrics(raw, this.settings.metricsToken);
    return this.metrics.text();
  }
}
