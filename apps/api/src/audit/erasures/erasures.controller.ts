import { Body, Controller, Get, HttpCode, Module, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { type CommandContext, CommandResult, CurrentCommandContext } from '../../commands/command-context';
import { CommandsModule } from '../../commands/command-runner';
import { notFound } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { CurrentCaller, Requires } from '../../http/route';
import { AccountsModule } from '../../identity/accounts/accounts.module';
import { AccountDeletionModule } from '../../identity/self-service/account-deletion';
import { OrganizationsModule } from '../../organizations/organizations.module';
import { QueryModule } from '../../query/http/query.controller';
import {
  ErasureDto,
  ErasurePageDto,
  ErasurePreviewDto,
  ListErasuresDto,
  PreviewErasureDto,
  ErasuresDto,
  RequestErasureDto,
  RequestErasuresDto,
  erasureSubjectOf,
  wantedVisitor,
} from './erasure.dto';
import { Erasures } from './erasures';
import { ListErasures, ListErasuresHandler } from './list-erasures.query';
import { PeopleController } from './people.controller';
import { PersonErasure } from './person-erasure';
import { PersonExport } from './person-export';
import { PersonalKeys } from './personal-keys';
import { PreviewErasure, PreviewErasureHandler } from './preview-erasure.query';
import {
  RequestErasure,
  RequestErasureHandler,
  RequestErasures,
  RequestErasuresHandler,
} from './request-erasure.command';
import { VisitorErasure } from './visitor-erasure';

@ApiTags('Erasures')
@Controller('v1/erasures')
@Requires('owner')
class ErasuresController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly erasures: Erasures,
  ) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Erase the personal data of a person, or a visitor',
    description:
      'For owners. Of a person, revokes the grants, removes the member, destroys the key of the name, addresses and user agents in the events of the organization, and deletes the account unless it is a member of another organization; of a profile, destroys the key of its id and traits that a website sent to `/identify`, and takes the visits of all visitors who were identified as it out of every figure, also of the past, with the clicks on short links that led to them; of a `visitorId` of lists or an `anonymousId`, takes out the visits under these ids. What happened until now is left out also where it arrives later. The logs and their hash chains stay. Who goes on acting, or is identified again, is recorded again.',
  })
  @ApiAcceptedResponse({ type: ErasureDto })
  async request(
    @Body() { organizationId, subject }: RequestErasureDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ErasureDto>>> {
    const wanted = { organizationId, subject: erasureSubjectOf(subject) };
    const written = await this.commands.execute(new RequestErasure(wanted, context));
    const receipt = await this.erasures.receipt(organizationId, written.entry);
    if (!receipt) throw notFound('Erasure');
    return written.as(() => receipt);
  }

  @Post('bulk')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Erase up to 1,000 visitors',
    description: 'Each has a receipt of its own. None is erased where one of the websites or profiles is not found.',
  })
  @ApiAcceptedResponse({ type: ErasuresDto })
  async requestAll(
    @Body() { organizationId, subjects }: RequestErasuresDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ErasuresDto>>> {
    const wanted = { organizationId, subjects: subjects.map(wantedVisitor) };
    const written = await this.commands.execute(new RequestErasures(wanted, context));
    const data = await this.erasures.receipts(organizationId, written.entry);
    return written.as(() => ({ data }));
  }

  @Post('preview')
  @HttpCode(200)
  @ApiOperation({ summary: 'What an erasure of a visitor would take out', description: 'For owners. Changes nothing.' })
  @ApiOkResponse({ type: ErasurePreviewDto })
  preview(
    @Body() { organizationId, subject }: PreviewErasureDto,
    @CurrentCaller() caller: Caller,
  ): Promise<PlainData<ErasurePreviewDto>> {
    return this.queries.execute(new PreviewErasure({ organizationId, subject: wantedVisitor(subject) }, caller));
  }

  @Get()
  @ApiOperation({
    summary: 'The erasures of an organization with their states, newest first',
    description: 'For owners.',
  })
  @ApiOkResponse({ type: ErasurePageDto })
  list(@Query() wanted: ListErasuresDto, @CurrentCaller() caller: Caller): Promise<PlainData<ErasurePageDto>> {
    return this.queries.execute(new ListErasures(wanted, caller));
  }

  @Get(':id')
  @ApiOperation({ summary: 'The receipt of an erasure' })
  @ApiOkResponse({ type: ErasureDto })
  find(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<PlainData<ErasureDto>> {
    return this.erasures.find(id, caller);
  }
}

@Module({
  imports: [AccountDeletionModule, AccountsModule, CommandsModule, OrganizationsModule, QueryModule],
  controllers: [ErasuresController, PeopleController],
  providers: [
    Erasures,
    PersonErasure,
    PersonExport,
    PersonalKeys,
    VisitorErasure,
    RequestErasureHandler,
    RequestErasuresHandler,
    PreviewErasureHandler,
    ListErasuresHandler,
    { provide: ProfileKeys, inject: [DataSource], useFactory: (source: DataSource) => new ProfileKeys(source) },
  ],
})
export class ErasuresModule {}
