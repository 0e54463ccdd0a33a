import { Controller, Get, HttpStatus, Inject, Req, Res } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { mayReadMetrics } from '@ledgerline/platform/metrics/metrics-access';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, OwnCredential, Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { publicReport, type PublicReport } from './public-report';
import { Readiness, type ReadinessReport } from './readiness';
import { PUBLIC_REPORT } from './report-schema';

@ApiTags('Health')
@Controller('health')
@Public()
@Budget('probes')
@OwnCredential()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Liveness: the process responds' })
  @ApiOkResponse({ schema: { type: 'object', properties: { status: { type: 'string', enum: ['ok'] } } } })
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Readiness: the stores respond and every projection advances; 200 while degraded',
    description:
      'Figures of the whole installation, reasons and processes are added for who may read `/metrics`: `METRICS_TOKEN` as `Authorization: Bearer`, or without one configured requests of the same machine. `GET /v1/projections` shows them to operators. Public.',
  })
  @ApiOkResponse({ schema: PUBLIC_REPORT })
  @ApiServiceUnavailableResponse({
    description: 'The same report; `reason` and `status` name the cause',
    schema: PUBLIC_REPORT,
  })
  async ready(
    @Req() { raw }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReadinessReport | PublicReport> {
    const report = await this.readiness.report();
    if (report.status === 'unavailable') void reply.status(HttpStatus.SERVICE_UNAVAILABLE).header('retry-after', '5');
    return mayReadMetrics(raw, this.settings.metricsToken) ? report : publicReport(report);
  }
}
