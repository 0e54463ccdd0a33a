import { Controller, Get, HttpStatus, Inject, Module, Req, Res } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { mayReadMetrics } from '@ledgerline/platform/metrics/metrics';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, OwnCredential, Public, Requires } from '../http/route';
import { SETTINGS } from '../tokens';
import { Readiness, type ReadinessReport } from './readiness';
import { PUBLIC_REPORT, REPORT } from './report-schema';
import type { Degradation } from './degradations';
import type { ProjectionReport } from './reports';

@ApiTags('Health')
@Controller('health')
@Public()
@Budget('probes')
@OwnCredential()
class HealthController {
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

/** How far the installation is with what it counts: of all organizations together, as they share it. */
@ApiTags('Health')
@Controller('v1/projections')
@Requires('operator')
class ProjectionsController {
  constructor(private readonly readiness: Readiness) {}

  @Get()
  @ApiOperation({
    summary: 'The state of the installation, with figures of all organizations together',
    description:
      'For operators who are signed in: people whose account has an address of `OPERATOR_EMAILS`; no API key may read it. The report is that of `/health/ready`, and answered with 200 whatever it says.',
  })
  @ApiOkResponse({ schema: REPORT })
  read(): Promise<ReadinessReport> {
    return this.readiness.report();
  }
}

/** A report without figures of all organizations together, and without what names one, a process or a cause. */
interface PublicReport extends Pick<ReadinessReport, 'status' | 'eventStore' | 'database' | 'readStores'> {
  readonly projections: readonly Pick<ProjectionReport, 'group' | 'store' | 'status' | 'lagMs'>[];
  readonly degradations?: readonly Pick<Degradation, 'kind' | 'group' | 'store' | 'since'>[];
}

/** What callers without METRICS_TOKEN may see of whether this process can do its work. */
function publicReport({ degradations, ...report }: ReadinessReport): PublicReport {
  const { status, eventStore, database, readStores, projections } = report;
  return {
    status,
    eventStore,
    database,
    readStores,
    projections: projections.map(({ group, store, status: state, lagMs }) => ({
      group,
      ...(store === undefined ? {} : { store }),
      status: state,
      lagMs,
    })),
    ...(degradations === undefined
      ? {}
      : {
          degradations: degradations.map(({ kind, group, store, since }) => ({
            kind,
            group,
            ...(store === undefined ? {} : { store }),
            ...(since === undefined ? {} : { since }),
          })),
        }),
  };
}

@Module({ controllers: [HealthController, ProjectionsController], providers: [Readiness], exports: [Readiness] })
export class HealthModule {}
