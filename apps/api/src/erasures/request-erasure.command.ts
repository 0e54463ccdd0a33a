import type { ErasedInvitation, ErasedPerson, ErasedSubject } from '@ledgerline/contracts/events/erasure.events';
import { erasure } from '@ledgerline/domain/erasures/erasure.decider';
import { erasureStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext, CommandResult } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId, type StartedCommand } from '../commands/idempotency-store';
import type { WantedProfile, WantedSubject } from './erasure.dto';
import { PersonErasure, ProfileErasure } from './erasures';

/** Answers the id of the erasure. */
export class RequestErasure extends Command<CommandResult<string>> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly subject: WantedSubject },
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
    private readonly persons: PersonErasure,
    private readonly profiles: ProfileErasure,
  ) {}

  async execute({ wanted, context }: RequestErasure): Promise<CommandResult<string>> {
    const { organizationId, subject } = wanted;
    assertMay(context.caller, 'erasures:request', { organizationId });
    const by = 'userId' in subject && isOf(context, subject) ? unnamed(context) : context;
    const started = await this.idempotency.start(by, 'EraseSubject', wanted, newId('era'));
    return 'profileId' in subject
      ? this.eraseProfile(organizationId, subject, started)
      : this.erasePerson(organizationId, subject, started);
  }

  /** The person is erased first, so that the receipt is never true too early. */
  private async erasePerson(organizationId: string, subject: Person, started: StartedCommand) {
    const keyIds = await this.persons.keysOf(organizationId, subject);
    const erase = () => this.persons.erase(organizationId, subject, keyIds, started);
    return this.record(organizationId, subject, keyIds, started, erase);
  }

  /** A destroyed key of a profile leaves nothing to find, so it is recorded first; until it is destroyed the receipt is `incomplete`. */
  private async eraseProfile(organizationId: string, wanted: WantedProfile, started: StartedCommand) {
    const subject = await this.profiles.find(organizationId, wanted, started.id);
    const written = await this.record(organizationId, subject, [subject.profile], started);
    await this.profiles.destroy(subject);
    return written;
  }

  private record(
    organizationId: string,
    subject: ErasedSubject,
    destroyedKeyIds: readonly string[],
    started: StartedCommand,
    prepare?: () => Promise<void>,
  ): Promise<CommandResult<string>> {
    const { id: erasureId } = started;
    const command = {
      type: 'EraseSubject' as const,
      data: { organizationId, erasureId, subject, destroyedKeyIds },
    };
    const stream = erasureStream(organizationId, erasureId);
    return this.runner.run(
      { decider: erasure, stream, command, answer: () => erasureId, ...(prepare && { prepare }) },
      started,
    );
  }
}

type Person = ErasedPerson | ErasedInvitation;

const isOf = ({ caller }: CommandContext, { userId }: ErasedPerson): boolean =>
  caller.kind === 'user' && caller.id === userId;

/** Who erases themselves leaves no personal data in the events of that. */
const unnamed = ({ caller, ...context }: CommandContext): CommandContext => ({
  ...context,
  caller: caller.kind === 'user' ? { kind: caller.kind, id: caller.id, roles: caller.roles } : caller,
  client: undefined,
});
