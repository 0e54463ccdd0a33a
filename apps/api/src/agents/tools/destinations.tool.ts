import { getSchemaPath } from '@nestjs/swagger';
import { DESTINATION_KINDS } from '@ledgerline/contracts/events/destination.events';
import { TestAnswerDto } from '../../destinations/delivery.dto';
import { DESTINATION_STATES } from '../../destinations/destination.dto';
import { ListKnownDestinations } from '../../destinations/known-destinations.query';
import { TestDestination } from '../../destinations/test-destination.command';
import { Id } from '../../http/fields';
import { object, text } from '../../http/record.dto';
import { listed, listOutput, callerOrganization, PAGED, SearchToolInput, tool } from '../tool';

const DESTINATION = object({
  id: text,
  name: text,
  kind: { ...text, enum: DESTINATION_KINDS },
  state: { ...text, enum: DESTINATION_STATES, description: 'held_back: it is tried again · off: it is not' },
});

export const listDestinations = tool({
  name: 'list_destinations',
  title: 'List destinations',
  description: `Where this organization sends what happens (webhooks, audit streams), oldest first, and how that goes. ${PAGED}`,
  action: 'destinations:list',
  effect: 'read',
  input: SearchToolInput,
  output: listOutput('destinations', DESTINATION),
  answer: async ({ search = '', limit, offset }, { caller, queries }) => {
    const all = await queries.execute(new ListKnownDestinations(callerOrganization(caller), caller));
    const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
    return listed('destinations', found, { limit, offset });
  },
});

class TestDestinationInput {
  @Id('As list_destinations gives it')
  destinationId: string;
}

export const testDestination = tool({
  name: 'test_destination',
  title: 'Test a destination',
  description:
    'Sends a message of type `destination.test` to a destination, and answers what came back: the status, and the ' +
    'beginning of the answer. For owners and admins who signed in.',
  action: 'destinations:test',
  effect: 'send',
  input: TestDestinationInput,
  output: { $ref: getSchemaPath(TestAnswerDto) },
  answer: ({ destinationId }, { command, commands, signal }) =>
    commands.execute(new TestDestination(destinationId, command, signal)),
});
