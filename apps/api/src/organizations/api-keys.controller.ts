import { Body, Controller, Delete, Get, HttpCode, Module, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { newSecret } from '@ledgerline/platform/api-keys/secret-store';
import { type CommandContext, type CommandResult, CurrentCommandContext, Deletes } from '../commands/command-context';
import { ActOnRecord, ChangeRecord, CreateRecord } from '../commands/resource.commands';
import { ResourcesModule } from '../commands/resource.controller';
import { FindRecord, ListRecords } from '../commands/resource.queries';
import { ApiList, type ListAnswer, OrganizationListDto, type PlainData, listOf, withSecret } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { AuthModule } from '../identity/auth/auth.module';
import { ApiKeyDto, ApiKeyWithSecretDto, CreateApiKeyDto, UpdateApiKeyDto } from './api-key.dto';
import { ApiKeys, OrphanedSecrets } from './api-keys';

/** Only people manage keys. */
@ApiTags('API keys')
@Controller('v1/api-keys')
@Requires('owner', 'admin')
class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an API key; its secret is shown only once' })
  @ApiCreatedResponse({ type: ApiKeyWithSecretDto })
  async create(
    @Body() body: CreateApiKeyDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ApiKeyWithSecretDto>>> {
    const secret = newSecret();
    const written = await this.commands.execute(new CreateRecord(ApiKeys, body, context, { secret }));
    return written.as((record) => withSecret(record, secret, written.replayed));
  }

  @Get()
  @ApiOperation({ summary: 'The API keys of an organization, newest first' })
  @ApiList(ApiKeyDto)
  async list(
    @Query() wanted: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<PlainData<ApiKeyDto>>> {
    const keys = await this.queries.execute(new ListRecords(ApiKeys, wanted, caller));
    return listOf(keys.toReversed());
  }

  @Get(':id')
  @ApiOperation({ summary: 'One API key' })
  @ApiOkResponse({ type: ApiKeyDto })
  one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<PlainData<ApiKeyDto>> {
    return this.queries.execute(new FindRecord(ApiKeys, id, caller));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change an API key; answered when no process accepts what it may no longer do' })
  @ApiOkResponse({ type: ApiKeyDto })
  update(
    @Param('id') id: string,
    @Body() body: UpdateApiKeyDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ApiKeyDto> | null>> {
    return this.commands.execute(new ChangeRecord(ApiKeys, id, body, context));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the secret; answered when no process accepts the old one' })
  @ApiOkResponse({ type: ApiKeyWithSecretDto })
  async rotate(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ApiKeyWithSecretDto>>> {
    const secret = newSecret();
    const written = await this.commands.execute(
      new ActOnRecord(ApiKeys, id, { type: 'RotateApiKey' }, context, secret),
    );
    return written.as((record) => withSecret(record, secret, written.replayed));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @ApiOperation({ summary: 'Revoke an API key for good; answered when no process accepts it' })
  @ApiOkResponse({ type: ApiKeyDto })
  revoke(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ApiKeyDto>>> {
    return this.commands.execute(new ActOnRecord(ApiKeys, id, { type: 'RevokeApiKey' }, context));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete an API key; answered when no process accepts it' })
  @Deletes()
  delete(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<ApiKeyDto> | null>> {
    return this.commands.execute(new ChangeRecord(ApiKeys, id, null, context));
  }
}

@Module({
  imports: [AuthModule, ResourcesModule],
  controllers: [ApiKeysController],
  providers: [ApiKeys, OrphanedSecrets],
  exports: [OrphanedSecrets],
})
export class ApiKeysModule {}
