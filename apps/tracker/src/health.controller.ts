import { Controller, Get, Head, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import { assertMayReadMetrics, Metrics } from '@ledgerline/platform/metrics/metrics';
import { ClickRecorder, faultOf } from './click-spool/click-recorder';
import { SETTINGS } from './tokens';

/** Liveness: the process responds. Where the disk takes no clicks, or one could not be recorded, it says so. */
@Controller('health')
export class HealthController {
  constructor(@Inject(ClickRecorder) private readonly clicks: Pick<ClickRecorder, 'state'>) {}

  @Get()
  health(): object {
    const reason = faultOf(this.clicks);
    return reason === undefined
      ? { status: 'ok' }
      : { status: 'degraded', clicks: { reason, roomBytes: this.clicks.state().room } };
  }

  @Head()
  head(): object {
    return this.health();
  }
}

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
