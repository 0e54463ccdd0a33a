import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { ErasedInvitation, ErasedPerson } from '@ledgerline/contracts/events/audit-log.events';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import {
  type CommandContext,
  type CommandResult,
  IdempotencyStore,
  type StartedCommand,
  newPrefixedId,
} from '../../commands/command-context';
import { CommandRunner } from '../../commands/command-runner';
import { itemCommands, mapWithConcurrency, resultOfAll } from '../../commands/many-commands';
import { invalid } from '../../http/problems';
import { assertMay } from '../../http/route';
import { EVENT_STORE } from '../../tokens';
import type { WantedSubject, WantedVisitor } from './erasure.dto';
import { recordErasure } from './erasures';
import { PersonErasure } from './person-erasure';
import { VisitorErasure } from './visitor-erasure';

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
    private readonly visitors: VisitorErasure,
  ) {}

  async execute({ wanted, context }: RequestErasure): Promise<CommandResult<string>> {
    const { organizationId, subject } = wanted;
    assertMay(context.caller, 'erasures:request', { organizationId });
    const by = 'userId' in subject && isOf(context, subject) ? unnamed(context) : context;
    const started = await this.idempotency.start(by, 'EraseSubject', wanted, newPrefixedId('era'));
    if ('userId' in subject || 'invitationId' in subject) return this.erasePerson(organizationId, subject, started);
    const found = await this.visitors.find(organizationId, subject, started.id);
    return this.visitors.erase(organizationId, found, started);
  }

  /** The person is erased first, so that the receipt is never true too early. */
  private async erasePerson(organizationId: string, subject: Person, started: StartedCommand) {
    const keyIds = await this.persons.keysOf(organizationId, subject);
    const erase = () => this.persons.erase(organizationId, subject, keyIds, started);
    return recordErasure(this.runner, { organizationId, subject, destroyedKeyIds: keyIds }, started, erase);
  }
}

type Person = ErasedPerson | ErasedInvitation;

const isOf = ({ caller }: CommandContext, { userId }: ErasedPerson): boolean =>
  caller.kind === 'user' && caller.id === userId;

/** Returns a context without personal data: those who erase themselves leave none in the events of that. */
const unnamed = ({ caller, ...context }: CommandContext): CommandContext => ({
  ...context,
  caller: caller.kind === 'user' ? { kind: caller.kind, id: caller.id, roles: caller.roles } : caller,
  client: undefined,
});

/** Answers the ids of the erasures, in the order of the subjects. */
export class RequestErasures extends Command<CommandResult<readonly string[]>> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly subjects: readonly WantedVisitor[] },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RequestErasures)
export class RequestErasuresHandler implements ICommandHandler<RequestErasures> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly visitors: VisitorErasure,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** All of them, or none where one is not found. */
  async execute({ wanted, context }: RequestErasures): Promise<CommandResult<readonly string[]>> {
    const { organizationId, subjects } = wanted;
    assertMay(context.caller, 'erasures:request', { organizationId });
    const started = await this.idempotency.start(context, 'EraseSubjects', wanted, newPrefixedId('era'));
    const commands = itemCommands(started, subjects.length);
    const found = await mapWithConcurrency(commands, AT_ONCE, async (command, at) => {
      const subject = subjects[at] as WantedVisitor; // as many as commands
      return this.visitors.find(organizationId, subject, command.id).catch(asProblem);
    });
    const missing = found.flatMap((each, at) =>
      each instanceof Problem ? [{ field: `subjects.${at}`, message: `${each.message}.` }] : [],
    );
    if (missing.length > 0) throw invalid(missing.slice(0, MAX_NAMED), missing.length);
    const written = await mapWithConcurrency(found, AT_ONCE, async (subject, at) => {
      if (subject instanceof Problem) throw subject;
      return this.visitors.erase(organizationId, subject, commands[at] as StartedCommand);
    });
    return resultOfAll(
      written,
      this.store,
      written.map(({ entry }) => entry),
    );
  }
}

/** Commands under way: their appends share commits. */
const AT_ONCE = 32;

/** Wrong fields that a refusal names. */
const MAX_NAMED = 20;

function asProblem(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'NOT_FOUND') return error;
  throw error;
}
