import type { ApiKey } from '@ledgerline/contracts/records';
import { Body, Controller, Delete, Get, HttpCode, Module, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { SecretStore, newSecret } from '@ledgerline/platform/api-keys/secret-store';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { type CommandContext, type CommandResult, Context, Deletes } from '../commands/command-context';
import { ApiList, type List, OrganizationListDto, type Plain, listOf } from '../http/record.dto';
import {
  ApiKeyDto,
  ApiKeyWithSecretDto,
  CreateApiKeyDto,
  UpdateApiKeyDto,
  apiKeyDto,
  apiKeyWithSecret,
} from './api-key.dto';
import { changesIn, withDefaults } from '../resources/resource';
import {
  ChangeApiKey,
  ChangeApiKeyHandler,
  CreateApiKey,
  CreateApiKeyHandler,
  ManagedKeys,
  OrphanedSecrets,
  RotateApiKey,
  RotateApiKeyHandler,
} from './api-key.commands';
import { AuthModule } from '../auth/auth.module';
import { CommandsModule } from '../commands/command-runner';

/** Only people manage keys. */
@ApiTags('API keys')
@Controller('v1/api-keys')
@Requires('owner', 'admin')
class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly keys: ManagedKeys,
    private readonly registry: Registry,
    private readonly secrets: SecretStore,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an API key; its secret is shown only once' })
  @ApiCreatedResponse({ type: ApiKeyWithSecretDto })
  async create(
    @Body() body: CreateApiKeyDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<ApiKeyWithSecretDto>>> {
    const secret = newSecret();
    const written = await this.commands.execute(new CreateApiKey(withDefaults(body, plainKey), secret, context));
    return written.as((key) => apiKeyWithSecret(apiKeyDto(key, undefined), secret, written.replayed));
  }

  @Get()
  @ApiOperation({ summary: 'The API keys of an organization, newest first' })
  @ApiList(ApiKeyDto)
  async list(
    @Query() { organizationId }: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<List<Plain<ApiKeyDto>>> {
    assertMay(caller, 'apiKeys:read', { organizationId });
    return listOf(await this.records(this.registry.list('apiKeys', organizationId).toReversed()));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One API key' })
  @ApiOkResponse({ type: ApiKeyDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<ApiKeyDto>> {
    return this.record(await this.keys.find(id, caller));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change an API key; answered when no process accepts what it may no longer do' })
  @ApiOkResponse({ type: ApiKeyDto })
  update(
    @Param('id') id: string,
    @Body() body: UpdateApiKeyDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<ApiKeyDto> | null>> {
    const change = { type: 'UpdateApiKey', data: { changes: changesIn(body, plainKey) } } as const;
    return this.change(new ChangeApiKey(id, change, context));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Replace the secret; answered when no process accepts the old one' })
  @ApiOkResponse({ type: ApiKeyWithSecretDto })
  async rotate(
    @Param('id') id: string,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<ApiKeyWithSecretDto>>> {
    const secret = newSecret();
    const written = await this.commands.execute(new RotateApiKey(id, secret, context));
    const record = await this.record(written.entry);
    return written.as(() => apiKeyWithSecret(record, secret, written.replayed));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @ApiOperation({ summary: 'Revoke an API key for good; answered when no process accepts it' })
  @ApiOkResponse({ type: ApiKeyDto })
  revoke(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<Plain<ApiKeyDto> | null>> {
    return this.change(new ChangeApiKey(id, { type: 'RevokeApiKey', data: {} }, context));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete an API key; answered when no process accepts it' })
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<ApiKey | null>> {
    return this.commands.execute(new ChangeApiKey(id, { type: 'DeleteApiKey', data: {} }, context));
  }

  private async change(command: ChangeApiKey): Promise<CommandResult<Plain<ApiKeyDto> | null>> {
    const written = await this.commands.execute(command);
    const record = written.entry && (await this.record(written.entry));
    return written.as(() => record);
  }

  private async record(key: ApiKey): Promise<Plain<ApiKeyDto>> {
    const uses = await this.secrets.lastUses([key.id]);
    return apiKeyDto(key, uses.get(key.id));
  }

  private async records(keys: readonly ApiKey[]): Promise<Plain<ApiKeyDto>[]> {
    const uses = await this.secrets.lastUses(keys.map(({ id }) => id));
    return keys.map((key) => apiKeyDto(key, uses.get(key.id)));
  }
}

@Module({
  imports: [AuthModule, CommandsModule],
  controllers: [ApiKeysController],
  providers: [CreateApiKeyHandler, ChangeApiKeyHandler, RotateApiKeyHandler, ManagedKeys, OrphanedSecrets],
  exports: [OrphanedSecrets],
})
export class ApiKeysModule {}
