import type { ErasedSubject } from '@ledgerline/contracts/events/erasure.events';
import { erasure } from '@ledgerline/domain/erasures/erasure.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { Written } from '../commands/written';
import { notFound } from '../http/problems';
import { streamOf } from './erasures';

const USER = /^usr_\w+$/;

/** Answers the id of the erasure. */
export class RequestErasure extends Command<Written<string>> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly subject: ErasedSubject },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RequestErasure)
export class RequestErasureHandler implements ICommandHandler<RequestErasure> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly keys: SubjectKeys,
    private readonly registry: Registry,
  ) {}

  async execute({ wanted, context }: RequestErasure): Promise<Written<string>> {
    const { organizationId, subject } = wanted;
    assertMay(context.caller, 'erasures:request', { organizationId });
    const started = await this.idempotency.start(context, 'EraseSubject', wanted, newId('era'));
    const destroyedKeyIds = await this.keysOf(organizationId, subject.userId);
    return this.runner.run(
      {
        decider: erasure,
        stream: streamOf(organizationId, started.id),
        command: { type: 'EraseSubject', data: { organizationId, erasureId: started.id, subject, destroyedKeyIds } },
        prepare: () => this.keys.destroy(organizationId, subject.userId, destroyedKeyIds),
        answer: () => started.id,
      },
      started,
    );
  }

  /** @throws Problem NOT_FOUND for whom the organization does not know */
  private async keysOf(organizationId: string, userId: string): Promise<readonly string[]> {
    const keyIds = USER.test(userId) ? await this.keys.idsOf(organizationId, userId) : [];
    if (keyIds.length === 0 && !this.registry.member(organizationId, userId)) throw notFound('Person');
    return keyIds;
  }
}
