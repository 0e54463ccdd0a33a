import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { assertMay } from '../auth/assert-may';
import { type CommandContext, type CommandResult, IdempotencyStore, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { type Entry, Resources, type ResourceType, changesIn, withDefaults } from './resource';
import { Records } from './resource.queries';

/** Creates an entry; `body` is what a request says of it, validated, and `secret` what a repetition of it does not say again. */
export class CreateRecord<Of extends Entry, Dto extends object> extends Command<CommandResult<Dto>> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly body: object & { readonly organizationId: string },
    readonly context: CommandContext,
    readonly secret?: string,
  ) {
    super();
  }

  typeIn(resources: Resources): string {
    return resources.of(this.kind).declared.commands.creates;
  }
}

@CommandHandler(CreateRecord)
export class CreateRecordHandler implements ICommandHandler<CreateRecord<Entry, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, body, context, secret }: CreateRecord<Entry, object>): Promise<CommandResult<object>> {
    const resource = this.resources.of(kind);
    const { commands, prefix } = resource.declared;
    const input = resource.prepare(withDefaults(body, resource.defaults)) as typeof body;
    assertMay(context.caller, resource.writes, input);
    await resource.check(input, context.caller);
    const started = await this.idempotency.start(context, commands.creates, input, newId(prefix));
    const written = await resource.create(input, started, this.runner, secret);
    const [record] = await resource.records([written.entry], context.caller);
    return written.as(() => record as object); // one for each
  }
}

/** Changes an entry as a request says, or deletes it (null); answers null for a deleted one. */
export class ChangeRecord<Of extends Entry, Dto extends object> extends Command<CommandResult<Dto | null>> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly id: string,
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
export class ChangeRecordHandler implements ICommandHandler<ChangeRecord<Entry, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly found: Records,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, id, body, context }: ChangeRecord<Entry, object>): Promise<CommandResult<object | null>> {
    const resource = this.resources.of(kind);
    const { updates, deletes } = resource.declared.commands;
    const current = await this.found.find(resource, id, context.caller, resource.writes);
    const changes = body && resource.prepare(changesIn(body, resource.defaults));
    if (changes) await resource.check(changes, context.caller, current);
    const started = await this.idempotency.start(context, changes ? updates : deletes, { id, ...changes }, id);
    const decision = changes
      ? await resource.update(changes, current, started)
      : resource.decision(deletes, {}, current);
    const answer = (registry: () => Registry, history: readonly Recorded[]) => {
      const after = changes === null ? null : resource.entry(registry, id, history);
      return after === undefined ? undefined : { after, history };
    };
    const written = await this.runner.run({ ...decision, answer }, started);
    const { after, history } = written.entry;
    await resource.stored(changes, after, history);
    const [record = null] = after === null ? [] : await resource.records([after], context.caller);
    return written.as(() => record);
  }
}

/** Does to an entry what its decider has a command of its own for: rotates or revokes a key. */
export class ActOnRecord<Of extends Entry, Dto extends object> extends Command<CommandResult<Dto>> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly id: string,
    /** The type of the command. */
    readonly action: string,
    readonly context: CommandContext,
    readonly secret?: string,
  ) {
    super();
  }

  typeIn(): string {
    return this.action;
  }
}

@CommandHandler(ActOnRecord)
export class ActOnRecordHandler implements ICommandHandler<ActOnRecord<Entry, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly found: Records,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, id, action, context, secret }: ActOnRecord<Entry, object>): Promise<CommandResult<object>> {
    const resource = this.resources.of(kind);
    const current = await this.found.find(resource, id, context.caller, resource.writes);
    const started = await this.idempotency.start(context, action, { [resource.declared.id]: id }, id);
    const data = await resource.data({}, started, current, secret);
    const answer = (registry: () => Registry, history: readonly Recorded[]) => resource.entry(registry, id, history);
    const written = await this.runner.run({ ...resource.decision(action, data, current), answer }, started);
    const [record] = await resource.records([written.entry], context.caller);
    return written.as(() => record as object); // one for each
  }
}
