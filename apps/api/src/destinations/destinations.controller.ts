import { Body, Controller, Get, HttpCode, Injectable, Module, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Destination } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { newWebhookSecret } from '@ledgerline/platform/outbound/webhook';
import { type CommandContext, type CommandResult, CurrentCommandContext } from '../commands/command-context';
import { ActOnRecord, CreateRecord } from '../commands/resource.commands';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import { Records } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, listOf, withSecret } from '../http/record.dto';
import { CurrentCaller, Requires, clientDisconnectSignal } from '../http/route';
import { AccountsModule } from '../identity/accounts/accounts.module';
import { DeliveryLog, assertOneWish } from './delivery-log';
import { DeliveryDto, ListDeliveriesDto, RetriedDto, RetryDto, TestAnswerDto } from './delivery.dto';
import { DestinationUses } from './destination-uses';
import {
  CreateDestinationDto,
  DestinationDto,
  DestinationWithSecretDto,
  UpdateDestinationDto,
} from './destination.dto';
import { Destinations } from './destinations';
import { ListKnownDestinationsHandler } from './known-destinations.query';
import { MailConsents } from './mail-consents';
import { MailPagesController, MailReaders } from './mail-pages.controller';
import { TestDestination, TestDestinationHandler } from './test-destination.command';

/** What was sent to a destination, for those who may change it: a message shows what the receiver answered. */
@Injectable()
class DestinationDeliveries {
  constructor(
    private readonly destinations: Destinations,
    private readonly found: Records,
    private readonly log: DeliveryLog,
    private readonly uses: DestinationUses,
  ) {}

  async list(id: string, wanted: ListDeliveriesDto, caller: Caller): Promise<readonly PlainData<DeliveryDto>[]> {
    return this.log.list((await this.find(id, caller)).id, wanted);
  }

  async retry(id: string, wanted: RetryDto, context: CommandContext): Promise<number> {
    const destination = await this.find(id, context.caller);
    assertOneWish(wanted);
    await this.uses.retry(destination, wanted, context);
    return this.log.retry(destination.id, wanted);
  }

  private find(id: string, caller: Caller): Promise<Destination> {
    return this.found.find(this.destinations, id, caller, this.destinations.writes);
  }
}

/** A key could send itself what it may not read, so only people manage destinations. */
@ApiTags('Destinations')
@Controller('v1/destinations')
@Requires('owner', 'admin')
class DestinationsController extends resourceController({
  resource: Destinations,
  create: CreateDestinationDto,
  update: UpdateDestinationDto,
  record: DestinationDto,
  reads: ['owner', 'admin'],
  writes: ['owner', 'admin'],
  summaries: {
    create: 'Create a destination; its secret is shown only once',
    list: 'The destinations of an organization, in the order in which they were created',
    one: 'One destination',
    update: 'Change a destination: its address is set anew with `url`, its headers with `headers`',
    delete: 'Delete a destination, with what waits for it',
  },
}) {
  constructor(
    commands: CommandBus,
    queries: QueryBus,
    private readonly deliveries: DestinationDeliveries,
  ) {
    super(commands, queries);
  }

  @Post()
  @ApiOperation({ summary: 'Create a destination; its secret is shown only once' })
  @ApiCreatedResponse({ type: DestinationWithSecretDto })
  async create(
    @Body() body: CreateDestinationDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<DestinationWithSecretDto>>> {
    const secret = newWebhookSecret();
    const written = await this.commands.execute(new CreateRecord(Destinations, body, context, { secret }));
    return written.as((record) =>
      record.kind === 'mail' ? { ...record, secret: null } : withSecret(record, secret, written.replayed),
    );
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the secret; the former one signs along for 24 hours' })
  @ApiOkResponse({ type: DestinationWithSecretDto })
  async rotate(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<DestinationWithSecretDto>>> {
    const secret = newWebhookSecret();
    const action = { type: 'RotateDestination' };
    const written = await this.commands.execute(new ActOnRecord(Destinations, id, action, context, secret));
    return written.as((record) => withSecret(record, secret, written.replayed));
  }

  @Post(':id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test message, and answer what came back',
    description: 'Of the type `destination.test`; it is not kept, and its id is a new one each time.',
  })
  @ApiOkResponse({ type: TestAnswerDto })
  test(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<TestAnswerDto>> {
    return this.commands.execute(new TestDestination(id, context, clientDisconnectSignal(reply)));
  }

  @Get(':id/deliveries')
  @ApiOperation({
    summary: 'The messages that wait, were sent or are set aside, newest first',
    description: 'Those that were sent or set aside are kept for 30 days.',
  })
  @ApiList(DeliveryDto)
  async sent(
    @Param('id') id: string,
    @Query() wanted: ListDeliveriesDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<PlainData<DeliveryDto>>> {
    return listOf(await this.deliveries.list(id, wanted, caller));
  }

  @Post(':id/retry')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send messages again, under their ids and after what is new; turns a destination on that is off',
    description:
      'What is held back is tried at once. With `all` an audit stream goes on whose history was chained again by an operator.',
  })
  @ApiOkResponse({ type: RetriedDto })
  async retry(
    @Param('id') id: string,
    @Body() wanted: RetryDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<PlainData<RetriedDto>> {
    return { retried: await this.deliveries.retry(id, wanted, context) };
  }
}

/** Where what happens is sent to. */
@Module({
  imports: [AccountsModule, ResourcesModule],
  controllers: [DestinationsController, MailPagesController],
  providers: [
    Destinations,
    MailConsents,
    MailReaders,
    DestinationDeliveries,
    DestinationUses,
    DeliveryLog,
    ListKnownDestinationsHandler,
    TestDestinationHandler,
  ],
  exports: [MailReaders],
})
export class DestinationsModule {}
