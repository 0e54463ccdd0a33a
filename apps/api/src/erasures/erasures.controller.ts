import { Body, Controller, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type CommandContext, CommandResult, Context } from '../commands/command-context';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { ErasureDto, RequestErasureDto, wantedSubject } from './erasure.dto';
import { Erasures, PersonErasure, ProfileErasure, RequestErasure, RequestErasureHandler } from './erasures';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { DataSource } from 'typeorm';
import { AccountDeletionModule } from '../account-deletion/account-deletion';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/command-runner';
import { OrganizationsModule } from '../organizations/organizations.module';
import { PersonalKeys } from './personal-keys';

@ApiTags('Erasures')
@Controller('v1/erasures')
@Requires('owner')
class ErasuresController {
  constructor(
    private readonly commands: CommandBus,
    private readonly erasures: Erasures,
  ) {}

  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Erase the personal data of a person, or the profile of a visitor',
    description:
      'For owners. Of a person, revokes the grants, removes the member, destroys the key of the name, addresses and user agents in the events of the organization, and deletes the account unless it is a member of another organization; of a visitor, the key of the profile id and traits that a website sent to `/identify`, and takes the visits of all visitors who were identified as the profile, and the clicks on short links that led to them, out of every figure, also of the past. The logs and their hash chains stay. Who goes on acting, or is identified again, is recorded again.',
  })
  @ApiAcceptedResponse({ type: ErasureDto })
  async request(
    @Body() { organizationId, subject }: RequestErasureDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<ErasureDto>>> {
    const wanted = { organizationId, subject: wantedSubject(subject) };
    const written = await this.commands.execute(new RequestErasure(wanted, context));
    const receipt = await this.erasures.receipt(organizationId, written.entry);
    if (!receipt) throw notFound('Erasure');
    return written.as(() => receipt);
  }

  @Get(':id')
  @ApiOperation({ summary: 'The receipt of an erasure' })
  @ApiOkResponse({ type: ErasureDto })
  find(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<ErasureDto>> {
    return this.erasures.find(id, caller);
  }
}

@Module({
  imports: [AccountDeletionModule, AccountsModule, CommandsModule, OrganizationsModule],
  controllers: [ErasuresController],
  providers: [
    Erasures,
    PersonErasure,
    PersonalKeys,
    ProfileErasure,
    RequestErasureHandler,
    { provide: ProfileKeys, inject: [DataSource], useFactory: (source: DataSource) => new ProfileKeys(source) },
  ],
})
export class ErasuresModule {}
