import { Injectable } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { type Action, ANONYMOUS } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import {
  type CommandContext,
  type CommandResult,
  type IdPrefix,
  IdempotencyStore,
  type StartedCommand,
  newPrefixedId,
} from './command-context';
import { type CommandRun, CommandRunner } from './command-runner';
import {
  type OrganizationOwnedRecord,
  type Resource,
  Resources,
  type ResourceType,
  changesIn,
  withDtoDefaults,
} from './resource';
import { Records } from './resource.queries';

/** A command about a record, by its type: of one class are the commands of all kinds. */
export interface TypedCommand {
  typeIn(resources: Resources): string;
}

@Injectable()
abstract class RecordHandler {
  constructor(
    protected readonly resources: Resources,
    protected readonly found: Records,
    protected readonly idempotency: IdempotencyStore,
    protected readonly runner: CommandRunner,
  ) {}

  protected async currentOf(
    resource: Resource,
    record: string | OrganizationOwnedRecord,
    { caller }: CommandContext,
    needs = resource.writes,
  ): Promise<OrganizationOwnedRecord> {
    return typeof record === 'string' ? this.found.find(resource, record, caller, needs) : record;
  }
}

/**
 * The parts of a new entry that no request says: what a repetition does not say again, and an id that is known already.
 */
interface Unsaid {
  readonly secret?: string;
  readonly id?: string;
}

/** Creates an entry; `body` is what a request says of it, validated. */
export class CreateRecord<Of extends OrganizationOwnedRecord, Dto extends object>
  extends Command<CommandResult<Dto>>
  implements TypedCommand
{
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly body: object,
    readonly context: CommandContext,
    readonly unsaid: Unsaid = {},
  ) {
    super();
  }

  typeIn(resources: Resources): string {
    return resources.of(this.kind).declared.commands.creates;
  }
}

@CommandHandler(CreateRecord)
export class CreateRecordHandler
  extends RecordHandler
  implements ICommandHandler<CreateRecord<OrganizationOwnedRecord, object>>
{
  async execute({
    kind,
    body,
    context,
    unsaid,
  }: CreateRecord<OrganizationOwnedRecord, object>): Promise<CommandResult<object>> {
    const resource = this.resources.of(kind);
    const { commands, prefix } = resource.declared;
    const input = resource.prepare(withDtoDefaults(body, resource.defaults)) as { readonly organizationId: string }; // as it was validated
    resource.authorize(context.caller, resource.writes, input);
    await resource.check(input, context.caller);
    const started = await this.idempotency.start(context, commands.creates, input, unsaid.id ?? newPrefixedId(prefix));
    const written = await resource.create(input, started, this.runner, unsaid.secret);
    const [record] = await resource.records([written.entry], context.caller);
    return written.as(() => record as object); // one for each
  }
}

/** Changes an entry as a request says, or deletes it (null); answers null for a deleted one. */
export class ChangeRecord<Of extends OrganizationOwnedRecord, Dto extends object>
  extends Command<CommandResult<Dto | null>>
  implements TypedCommand
{
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    /** Its id, or an entry that the sender has found for the caller. */
    readonly record: string | Of,
    readonly body: object | null,
    readonly context: CommandContext,
  ) {
    super();
  }

  typeIn(resources: Resources): string {
    const { updates, deletes } = resources.of(this.kind).declared.commands;
    return this.body === null ? deletes : updates;
  }
}

@CommandHandler(ChangeRecord)
export class ChangeRecordHandler
  extends RecordHandler
  implements ICommandHandler<ChangeRecord<OrganizationOwnedRecord, object>>
{
  async execute({
    kind,
    record,
    body,
    context,
  }: ChangeRecord<OrganizationOwnedRecord, object>): Promise<CommandResult<object | null>> {
    const resource = this.resources.of(kind);
    const { updates, deletes } = resource.declared.commands;
    const current = await this.currentOf(resource, record, context);
    const { id } = current;
    const changes = body && resource.prepare(changesIn(body, resource.defaults));
    if (changes) await resource.check(changes, context.caller, current);
    const started = await this.idempotency.start(context, changes ? updates : deletes, { id, ...changes }, id);
    const decision = changes
      ? await resource.update(changes, current, started)
      : resource.decision(deletes, {}, current, started);
    const answer = (registry: () => Registry, history: readonly Recorded[]) => {
      const after = changes === null ? null : resource.entry(registry, id, history);
      return after === undefined ? undefined : { after, history };
    };
    const written = await this.runner.run({ ...decision, answer }, started);
    const { after, history } = written.entry;
    await resource.stored(changes, after, history);
    const [shown = null] = after === null ? [] : await resource.records([after], context.caller);
    return written.as(() => shown);
  }
}

/** An action for which a decider has a command of its own. */
export interface RecordAction<Answer = unknown> {
  /** The type of the command. */
  readonly type: string;
  /** The body of the request. */
  readonly body?: object;
  /** The action that the caller has to be allowed; by default changes of the record. */
  readonly needs?: Action;
  /** Begins the id of what the command adds to the record. */
  readonly adds?: IdPrefix;
  /** Returns what the decider needs beside the body, and where it is not the record what is answered. */
  readonly run?: (started: StartedCommand) => ActionRun<Answer>;
}

type ActionRun<Answer> = { readonly data?: object } & Partial<
  Pick<CommandRun<never, never, never, Answer>, 'answer' | 'personal' | 'prepare' | 'revision'>
>;

/** Does to an entry what is neither a change of its fields nor its deletion: rotates a key, invites a member. */
export class ActOnRecord<Of extends OrganizationOwnedRecord, Dto extends object, Answer = Dto>
  extends Command<CommandResult<Answer>>
  implements TypedCommand
{
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    /** Its id, or an entry that the sender has found for the caller. */
    readonly record: string | Of,
    readonly action: RecordAction<Answer>,
    readonly context: CommandContext,
    readonly secret?: string,
  ) {
    super();
  }

  typeIn(): string {
    return this.action.type;
  }
}

@CommandHandler(ActOnRecord)
export class ActOnRecordHandler
  extends RecordHandler
  implements ICommandHandler<ActOnRecord<OrganizationOwnedRecord, object, unknown>>
{
  async execute(command: ActOnRecord<OrganizationOwnedRecord, object, unknown>): Promise<CommandResult<unknown>> {
    const { record, context, secret } = command;
    const { type, body = {}, needs, adds, run } = command.action;
    const resource = this.resources.of(command.kind);
    const current = await this.currentOf(resource, record, context, needs);
    const said = { [resource.declared.id]: current.id, ...body };
    const started = await this.idempotency.start(context, type, said, adds ? newPrefixedId(adds) : current.id);
    const { data = body, ...own } = run?.(started) ?? {};
    const decision = resource.decision(type, await resource.data(data, started, current, secret), current, started);
    if (own.answer) return this.runner.run({ ...decision, ...own, answer: own.answer }, started);
    const answer = (registry: () => Registry, history: readonly Recorded[]) => {
      const after = resource.entry(registry, current.id, history);
      return after && { after, history };
    };
    const written = await this.runner.run({ ...decision, ...own, answer }, started);
    const { after, history } = written.entry;
    await resource.stored({}, after, history);
    const [shown] = await resource.records([after], context.caller);
    return written.as(() => shown);
  }
}

/** Records that are one person's own, which end with their membership. */
@Injectable()
export class OwnRecords {
  constructor(
    private readonly resources: Resources,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
  ) {}

  /** Deletes those of a person who leaves; may be repeated. */
  async deleteOf(organizationId: string, userId: string, { caller, client, requestId }: CommandContext): Promise<void> {
    await this.delete((owner, entry) => owner === userId && entry.organizationId === organizationId, {
      caller,
      client,
      requestId,
    });
  }

  /** Deletes those of people who left before theirs were deleted; returns how many. */
  sweep(): Promise<number> {
    return this.delete((owner, { organizationId }) => !this.registry.member(organizationId, owner), {
      caller: ANONYMOUS,
    });
  }

  private async delete(
    isOver: (owner: string, entry: OrganizationOwnedRecord) => boolean,
    context: CommandContext,
  ): Promise<number> {
    await this.live.catchUp();
    let deleted = 0;
    for (const resource of this.resources.list()) {
      if (!resource.ownerOf) continue;
      for (const entry of this.registry.all(resource.kind as 'goals') as readonly OrganizationOwnedRecord[]) {
        const owner = resource.ownerOf(entry);
        if (owner === null || !isOver(owner, entry)) continue;
        await this.commands.execute(new ChangeRecord(resource.type, entry, null, context));
        deleted++;
      }
    }
    return deleted;
  }
}
