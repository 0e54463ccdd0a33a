import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { mayManageKeys } from '@ledgerline/domain/access/caller';
import { apiKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { websiteIn } from '@ledgerline/domain/api-keys/resource-name';
import { Registry, type ApiKey } from '@ledgerline/domain/registry/registry';
import { startOf } from '@ledgerline/platform/api-keys/secret';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { Asker, Attempt, Written } from '../commands/attempt';
import { Attempts } from '../commands/attempts';
import { Decisions } from '../commands/decisions';
import { newId } from '../commands/ids';
import { present } from '../http/present';
import { invalid } from '../http/problems';

/** The secret arrives with the command and is in no event: its keyed hash is written first, then the event names it. */
export class CreateApiKey extends Command<Written<ApiKey>> {
  constructor(
    readonly input: ApiKeyDetails,
    readonly secret: string,
    readonly asker: Asker,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly attempts: Attempts,
    private readonly decisions: Decisions,
    private readonly secrets: SecretStore,
    private readonly registry: Registry,
  ) {}

  async execute({ input, secret, asker }: CreateApiKey): Promise<Written<ApiKey>> {
    assertMay(mayManageKeys, asker.caller, input.organizationId);
    this.checkResources(input);
    const attempt = await this.attempts.begin(asker, 'CreateApiKey', input, 'key');
    const written = await this.create(input, secret, attempt);
    return written.as((registry) => present(registry.key(attempt.thingId)));
  }

  private async create(input: ApiKeyDetails, secret: string, attempt: Attempt) {
    const keyId = attempt.thingId;
    const { secretId } = await this.secrets.add(secret, { keyId, secretId: newId('sec') });
    const data = { ...input, keyId, secretId, start: startOf(secret) };
    const stream = `${input.organizationId}-key-${keyId}`;
    return this.decisions.take(apiKey, stream, { type: 'CreateApiKey', data }, attempt);
  }

  /** A key may only name websites of its own organization. */
  private checkResources({ resources, organizationId }: ApiKeyDetails): void {
    const unknown = Object.keys(resources ?? {}).filter((name) => {
      const website = websiteIn(name);
      return website !== undefined && this.registry.website(website)?.organizationId !== organizationId;
    });
    const details = unknown.map((name): FieldError => ({ field: `resources.${name}`, message: 'No such website' }));
    if (details.length > 0) throw invalid(details);
  }
}
