import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry, type ApiKey } from '@ledgerline/domain/registry/registry';
import { newSecret } from '@ledgerline/platform/api-keys/secret';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { Context, type CommandContext } from '../commands/command-context';
import type { Written } from '../commands/written';
import { ApiList, type List, listOf, OrganizationListDto } from '../http/list.dto';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { ApiKeyDto, apiKeyDetails, apiKeyDto, CreateApiKeyDto, CreatedApiKeyDto } from './api-key.dto';
import { CreateApiKey } from './create-api-key.command';

/** Only people manage keys. */
@ApiTags('API keys')
@Controller('v1/api-keys')
@Requires('owner', 'admin')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly registry: Registry,
    private readonly secrets: SecretStore,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an API key; its secret is shown only once' })
  @ApiCreatedResponse({ type: CreatedApiKeyDto })
  async create(
    @Body() body: CreateApiKeyDto,
    @Context() context: CommandContext,
  ): Promise<Written<Plain<CreatedApiKeyDto>>> {
    const secret = newSecret();
    const written = await this.commands.execute(new CreateApiKey(apiKeyDetails(body), secret, context));
    const shown = written.replayed ? ({ secret: null, replayed: true } as const) : { secret };
    return written.as((key) => ({ ...apiKeyDto(key, undefined), ...shown }));
  }

  @Get()
  @ApiOperation({ summary: 'The API keys of an organization, newest first' })
  @ApiList(ApiKeyDto)
  async list(
    @Query() { organizationId }: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<List<Plain<ApiKeyDto>>> {
    assertMay(caller, 'api-keys:manage', { organizationId });
    return listOf(await this.shown(this.registry.keysOf(organizationId).toReversed()));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One API key' })
  @ApiOkResponse({ type: ApiKeyDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<ApiKeyDto>> {
    const key = this.registry.key(id);
    if (!key) throw notFound('API key');
    assertMay(caller, 'api-keys:manage', { organizationId: key.organizationId }, 'API key');
    const [shown] = await this.shown([key]);
    if (!shown) throw notFound('API key');
    return shown;
  }

  private async shown(keys: readonly ApiKey[]): Promise<Plain<ApiKeyDto>[]> {
    const uses = await this.secrets.lastUses(keys.map(({ secretId }) => secretId));
    return keys.map((key) => apiKeyDto(key, uses.get(key.secretId)));
  }
}
