import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { ListRecords } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { exampleId } from '../reference/document';
import { AlertDestinations, AlertDestinationsController } from './alert-destinations.controller';
import { AlertDto, CreateAlertDto, ListAlertsDto, UpdateAlertDto } from './alert.dto';
import { Alerts } from './alerts';

const ACCESS = accessOf('alerts');
const CHANGERS = `For keys with \`read:data\` and \`write:data\` on its website, or on everything for those of links, and members of the organization, who send to destinations that an admin opened to members.`;
const LIST = 'The alerts of an organization that the caller may read, in the order in which they were created';

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
    examples: {
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
    },
  }),
  summaries: {
    create: 'Create an alert, which decides on windows that end from now on',
    list: LIST,
    one: 'One alert',
    update: 'Change an alert, which begins it anew, or enable a paused one',
    delete: 'Delete an alert; what it told stays known',
  },
}) {
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
}

/** Rules that tell when figures change. */
@Module({
  imports: [ResourcesModule],
  controllers: [AlertDestinationsController, AlertsController],
  providers: [AlertDestinations, Alerts],
  exports: [Alerts],
})
export class AlertsModule {}
