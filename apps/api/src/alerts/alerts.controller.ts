import { Body, Controller, Get, HttpCode, Injectable, Module, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { ListRecords, Records } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, arraySchema, listOf, object, whole } from '../http/record.dto';
import { Budget, CurrentCaller, Requires, clientDisconnectSignal } from '../http/route';
import { AdminNoticesModule } from '../organizations/admin-notices';
import { exampleId } from '../reference/document';
import { AlertDecisions } from './alert-decisions';
import { AlertDestinations, AlertDestinationsController } from './alert-destinations.controller';
import { AlertFiguresModule } from './alert-figures';
import { AlertDto, CreateAlertDto, ListAlertsDto, UpdateAlertDto } from './alert.dto';
import { Alerts } from './alerts';
import { AlertDecisionDto, AlertTrialDto, ListDecisionsDto } from './decision.dto';
import { AlertPauses } from './pause-alerts';
import { TryAlert, TryAlertHandler } from './try-alert.query';

const ACCESS = accessOf('alerts');
const CHANGERS = `For keys with \`read:data\` and \`write:data\` on its website, or on everything for those of links, and members of the organization, who send to destinations that an admin opened to members.`;
const EXAMPLES = {
  changed: {
    value: {
      organizationId: exampleId('org'),
      websiteId: exampleId('site'),
      name: 'Fewer visitors',
      figure: 'visitors',
      window: { minutes: 60 },
      compare: 'changed',
      percent: 50,
      direction: 'down',
      minimum: 20,
    },
  },
};
const LIST = 'The alerts of an organization that the caller may read, in the order in which they were created';

/** What an alert told, and how many of the windows late hits have changed since. */
interface DecisionsAnswer extends ListAnswer<PlainData<AlertDecisionDto>> {
  readonly changedLater: number;
}

/** What an alert told, for those who may read it. */
@Injectable()
class ToldDecisions {
  constructor(
    private readonly alerts: Alerts,
    private readonly found: Records,
    private readonly decisions: AlertDecisions,
  ) {}

  async list(id: string, { limit = 50, before }: ListDecisionsDto, caller: Caller): Promise<DecisionsAnswer> {
    const alert = await this.found.find(this.alerts, id, caller);
    const data = await this.decisions.list(alert, limit, before === undefined ? null : new Date(before));
    const isChanged = ({ figure, figureNow }: (typeof data)[number]) => figureNow !== null && figureNow !== figure;
    return { ...listOf(data), changedLater: data.filter(isChanged).length };
  }
}

@ApiTags('Alerts')
@Controller('v1/alerts')
class AlertsController extends resourceController({
  ...ACCESS,
  changers: CHANGERS,
  resource: Alerts,
  create: CreateAlertDto,
  update: UpdateAlertDto,
  record: AlertDto,
  creation: ApiBody({
    type: CreateAlertDto,
    examples: EXAMPLES,
  }),
  summaries: {
    create: 'Create an alert, which decides on windows that end from now on',
    list: LIST,
    one: 'One alert',
    update: 'Change an alert, which begins it anew, or enable a paused one',
    delete: 'Delete an alert; what it told stays known',
  },
}) {
  constructor(
    commands: CommandBus,
    queries: QueryBus,
    private readonly told: ToldDecisions,
  ) {
    super(commands, queries);
  }

  @Get()
  @ApiOperation({ summary: LIST, description: ACCESS.readers })
  @Requires(...ACCESS.reads)
  @ApiList(AlertDto)
  async list(
    @Query() { linkId, ...wanted }: ListAlertsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<PlainData<AlertDto>>> {
    const alerts = await this.queries.execute(new ListRecords(Alerts, wanted, caller));
    return listOf(alerts.filter((each) => linkId === undefined || each.linkId === linkId));
  }

  @Post('trial')
  @HttpCode(200)
  @ApiOperation({
    summary: 'What a rule would have told in the last 90 days, or 7 where windows are shorter than an hour',
    description: `By what is known today; nothing is stored. ${CHANGERS}`,
  })
  @Requires(...ACCESS.writes)
  @Budget('query')
  @ApiBody({ type: CreateAlertDto, examples: EXAMPLES })
  @ApiOkResponse({ type: AlertTrialDto })
  trial(
    @Body() body: CreateAlertDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<AlertTrialDto>> {
    return this.queries.execute(new TryAlert(body, caller, clientDisconnectSignal(reply)));
  }

  @Get(':id/decisions')
  @ApiOperation({ summary: 'What an alert told, the newest window first', description: ACCESS.readers })
  @Requires(...ACCESS.reads)
  @Budget('query')
  @ApiExtraModels(AlertDecisionDto)
  @ApiOkResponse({
    schema: object({
      success: { type: 'boolean', enum: [true] },
      data: arraySchema({ $ref: getSchemaPath(AlertDecisionDto) }),
      total: { ...whole, description: 'How many are listed' },
      changedLater: { ...whole, description: 'Of how many of these windows late hits have changed the figure' },
    }),
  })
  decisions(
    @Param('id') id: string,
    @Query() wanted: ListDecisionsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<DecisionsAnswer> {
    return this.told.list(id, wanted, caller);
  }
}

/** Rules that tell when figures change. */
@Module({
  imports: [ResourcesModule, AlertFiguresModule, AdminNoticesModule],
  controllers: [AlertDestinationsController, AlertsController],
  providers: [Alerts, AlertDestinations, AlertDecisions, ToldDecisions, TryAlertHandler, AlertPauses],
  exports: [Alerts, AlertPauses],
})
export class AlertsModule {}
