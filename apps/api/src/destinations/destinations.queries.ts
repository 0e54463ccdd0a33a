import { randomUUID } from 'node:crypto';
import type { Destination } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { sendWebhook } from '@ledgerline/platform/outbound/webhook';
import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Plain } from '../http/record.dto';
import { assertMay } from '../http/route';
import { Records } from '../resources/resource.queries';
import { SETTINGS } from '../tokens';
import type { DestinationDto, TestAnswerDto } from './destination.dto';
import { Destinations } from './destinations';

/** What everybody in the organization may know of a destination. */
type KnownDestination = Pick<Plain<DestinationDto>, 'id' | 'name' | 'kind' | 'state'>;

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

/** Sends a message that is not kept, and answers what came back. */
export class TestDestination extends Query<Plain<TestAnswerDto>> {
  constructor(
    readonly id: string,
    readonly caller: Caller,
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(TestDestination)
export class TestDestinationHandler implements IQueryHandler<TestDestination> {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly found: Records,
    private readonly destinations: Destinations,
  ) {}

  async execute({ id, caller, signal }: TestDestination): Promise<Plain<TestAnswerDto>> {
    const destination = await this.found.find(this.destinations, id, caller, 'destinations:test');
    const target = await this.destinations.target(destination);
    const { status, text } = await sendWebhook(target, testMessage(destination), this.settings, signal);
    return { status, text };
  }
}

const TEST = 'destination.test';

function testMessage({ id, organizationId, kind }: Destination) {
  const message = { type: TEST, timestamp: new Date().toISOString(), data: { organizationId, destinationId: id } };
  const text = JSON.stringify(message);
  return kind === 'audit'
    ? { id: randomUUID(), contentType: 'application/x-ndjson', body: `${text}\n` }
    : { id: randomUUID(), contentType: 'application/json', body: text };
}
