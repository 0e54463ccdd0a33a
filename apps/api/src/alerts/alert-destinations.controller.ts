import { Controller, Get, Injectable, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags, PickType } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { authorsIn, reachOf, whyNotSent } from '@ledgerline/domain/alerts/alert-rights';
import { Registry } from '@ledgerline/domain/registry/registry';
import { accessOf } from '../commands/resource.controller';
import { DestinationDto } from '../destinations/destination.dto';
import { ListKnownDestinations } from '../destinations/known-destinations.query';
import { Text } from '../http/fields';
import { ApiList, type ListAnswer, OrganizationListDto, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { authorOf } from './alerts';

const maybe = { optional: true } as const;

/** What the alert is about. */
class ListAlertDestinationsDto extends OrganizationListDto {
  @Text(1, 64, { description: 'The website that the alert is about', ...maybe })
  websiteId?: string;

  @Text(1, 64, { description: 'The link that it is about', ...maybe })
  linkId?: string;

  @Text(1, 64, { description: 'The goal whose conversions it counts', ...maybe })
  goalId?: string;
}

/** What everybody in the organization may know of a destination. */
class AlertDestinationDto extends PickType(DestinationDto, ['id', 'name', 'kind', 'state'] as const) {}

/** Finds the destinations that a caller may have an alert sent to. */
@Injectable()
export class AlertDestinations {
  constructor(
    private readonly queries: QueryBus,
    private readonly registry: Registry,
  ) {}

  /** @throws Problem FORBIDDEN */
  async list(
    { organizationId, ...of }: PlainData<ListAlertDestinationsDto>,
    caller: Caller,
  ): Promise<readonly PlainData<AlertDestinationDto>[]> {
    const known = await this.queries.execute(new ListKnownDestinations(organizationId, caller));
    const { websiteId = null, linkId = null, goalId = null } = of;
    const subject = { organizationId, websiteId, linkId, goalId };
    const reach = reachOf(authorOf(caller), subject, authorsIn(this.registry), new Date());
    return known.filter(({ id }) => whyNotSent(this.registry.find('destinations', id), subject, reach) === undefined);
  }
}

const ACCESS = accessOf('alerts');

@ApiTags('Alerts')
@Controller('v1/alerts/destinations')
export class AlertDestinationsController {
  constructor(private readonly destinations: AlertDestinations) {}

  @Get()
  @ApiOperation({
    summary: 'The destinations that an alert about this may be sent to',
    description: `${ACCESS.readers} Owners and admins send to all that are about it, others to those of them that an admin opened to members.`,
  })
  @Requires(...ACCESS.reads)
  @ApiList(AlertDestinationDto)
  async list(
    @Query() wanted: ListAlertDestinationsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<PlainData<AlertDestinationDto>>> {
    return listOf(await this.destinations.list(wanted, caller));
  }
}
