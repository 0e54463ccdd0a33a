import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';
import type { DestinationDto } from './destination.dto';
import { Destinations } from './destinations';

/** What everybody in the organization may know of a destination. */
type KnownDestination = Pick<PlainData<DestinationDto>, 'id' | 'name' | 'kind' | 'state'>;

/** The destinations of an organization, in the order in which they were created. */
export class ListKnownDestinations extends Query<readonly KnownDestination[]> {
  constructor(
    readonly organizationId: string,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListKnownDestinations)
export class ListKnownDestinationsHandler implements IQueryHandler<ListKnownDestinations> {
  constructor(
    private readonly registry: Registry,
    private readonly destinations: Destinations,
  ) {}

  async execute({ organizationId, caller }: ListKnownDestinations): Promise<readonly KnownDestination[]> {
    assertMay(caller, 'destinations:list', { organizationId });
    const records = await this.destinations.records(this.registry.list('destinations', organizationId));
    return records.map(({ id, name, kind, state }) => ({ id, name, kind, state }));
  }
}
