import { Controller, Get, Inject, Injectable, Module, Param, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '@ledgerline/domain/access/caller';
import { lastReportPeriod } from '@ledgerline/domain/reports/report-period';
import type { Settings } from '@ledgerline/platform/config/settings';
import { withUnsubscribing } from '@ledgerline/platform/outbound/mail-destination';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import { Records } from '../commands/resource.queries';
import { Budget, CurrentCaller, Requires, clientDisconnectSignal } from '../http/route';
import { PAGE } from '../identity/oauth/form';
import { IntakeWriterModule } from '../intake-writer';
import { AdminNoticesModule } from '../organizations/admin-notices';
import { QueryModule } from '../query/http/query.controller';
import { SETTINGS } from '../tokens';
import { ReportFigures } from './report-figures';
import { reportHtml } from './report-mail';
import { ReportMeans } from './report-means';
import { ReportSchedule } from './report-schedule';
import { ReportState } from './report-state';
import { CreateReportDto, ReportDto, UpdateReportDto } from './report.dto';
import { Reports } from './reports';

/** The mail of the last period that is over, as it would be sent now. */
@Injectable()
class ReportPreviews {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicApiUrl'>,
    private readonly reports: Reports,
    private readonly found: Records,
    private readonly figures: ReportFigures,
  ) {}

  async find(id: string, caller: Caller, signal: AbortSignal): Promise<string> {
    const report = await this.found.find(this.reports, id, caller);
    const wanted = { report, days: lastReportPeriod(report, Date.now()), caller, signal };
    const content = await this.figures.collect(wanted, this.settings.publicApiUrl);
    return withUnsubscribing(reportHtml(content), null);
  }
}

/** It runs nothing, loads nothing, and is shown by the console alone, which reads how high it is. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox";

/** What is sent is sent with the right of a person, so no key makes one. */
@ApiTags('Reports')
@Controller('v1/reports')
@Requires('owner', 'admin')
class ReportsController extends resourceController({
  resource: Reports,
  create: CreateReportDto,
  update: UpdateReportDto,
  record: ReportDto,
  reads: ['owner', 'admin'],
  writes: ['owner', 'admin'],
  summaries: {
    create: 'Create a report; the first one is of the week or month that has begun',
    list: 'The reports of an organization, in the order in which they were created',
    one: 'One report',
    update: 'Change a report: whoever does answers for it from now on',
    delete: 'Delete a report; nothing more is sent',
  },
}) {
  constructor(
    commands: CommandBus,
    queries: QueryBus,
    private readonly previews: ReportPreviews,
  ) {
    super(commands, queries);
  }

  @Get(':id/preview')
  @ApiOperation({
    summary: 'The mail of a report, of the last week or month that is over',
    description: 'As it would be sent now; only the link that ends mails leads nowhere.',
  })
  @ApiResponse(PAGE(200, 'The mail, as HTML'))
  @Budget('query')
  async preview(@Param('id') id: string, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.previews.find(id, caller, clientDisconnectSignal(reply));
    void reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page);
  }
}

/** What figures are sent to people who do not look at dashboards. */
@Module({
  imports: [ResourcesModule, QueryModule, IntakeWriterModule, AdminNoticesModule],
  controllers: [ReportsController],
  providers: [Reports, ReportFigures, ReportMeans, ReportPreviews, ReportSchedule, ReportState],
})
export class ReportsModule {}
