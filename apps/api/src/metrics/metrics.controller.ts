import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { assertMayReadMetrics } from '@ledgerline/platform/metrics/metrics-access';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, OwnCredential, Public } from '../http/route';
import { SETTINGS } from '../tokens';

/** The metrics have a credential of their own, which is neither a key nor a session. */
@ApiTags('Health')
@Controller('metrics')
@Public()
@Budget('probes')
@OwnCredential()
export class MetricsController {
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
