import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { ErasedInvitation, ErasedPerson } from '@ledgerline/contracts/events/audit-log.events';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { incrementBase32 } from 'ulid';
import { v5 } from 'uuid';
import {
  type CommandContext,
  CommandResult,
  IdempotencyStore,
  type StartedCommand,
  newId,
} from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { invalid } from '../http/problems';
import { assertMay } from '../http/route';
import { EVENT_STORE } from '../tokens';
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
    const started = await this.idempotency.start(by, 'EraseSubject', wanted, newId('era'));
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

/** Who erases themselves leaves no personal data in the events of that. */
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
    const started = await this.idempotency.start(context, 'EraseSubjects', wanted, newId('era'));
    const commands = commandsOf(started, subjects.length);
    const found = await inTurns(commands, async (command, at) => {
      const subject = subjects[at] as WantedVisitor; // as many as commands
      return this.visitors.find(organizationId, subject, command.id).catch(asProblem);
    });
    const missing = found.flatMap((each, at) =>
      each instanceof Problem ? [{ field: `subjects.${at}`, message: `${each.message}.` }] : [],
    );
    if (missing.length > 0) throw invalid(missing.slice(0, MAX_NAMED), missing.length);
    const written = await inTurns(found, async (subject, at) => {
      if (subject instanceof Problem) throw subject;
      return this.visitors.erase(organizationId, subject, commands[at] as StartedCommand);
    });
    const [latest] = written.flatMap(({ cursor }) => cursor ?? []).sort((a, b) => this.store.compare(b, a));
    const isRepeated = written.every(({ replayed }) => replayed);
    return new CommandResult(
      written.map(({ entry }) => entry),
      latest,
      isRepeated,
    );
  }
}

/** Wrong fields that a refusal names. */
const MAX_NAMED = 20;

function asProblem(error: unknown): Problem {
  if (error instanceof Problem && error.code === 'NOT_FOUND') return error;
  throw error;
}

/** One command for each subject, with ids that follow from those of the whole, so that a repetition has them again. */
function commandsOf(started: StartedCommand, count: number): StartedCommand[] {
  let id = started.id;
  return Array.from({ length: count }, (_, n) => {
    if (n > 0) id = `era_${incrementBase32(id.slice('era_'.length))}`;
    return { ...started, commandId: v5(`item:${n}`, started.commandId), id, deadline: undefined };
  });
}

/** As many are under way at once: their appends share commits. */
const AT_ONCE = 32;

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE);
    results.push(...(await Promise.all(some.map((item, at) => work(item, from + at)))));
  }
  return results;
}
