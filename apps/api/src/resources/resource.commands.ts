import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { ModuleRef } from '@nestjs/core';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { assertMay } from '../auth/assert-may';
import { type CommandContext, CommandResult, IdempotencyStore, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { type Entry, type Resource, type ResourceType, changesIn, withDefaults } from './resource';
import { Records } from './resource.queries';

/** Creates an entry; `body` is what a request says of it, validated. */
export class CreateRecord<Of extends Entry, Dto extends object> extends Command<CommandResult<Dto>> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly body: object & { readonly organizationId: string },
    readonly context: CommandContext,
  ) {
    super();
  }

  get type(): string {
    return this.kind.commands[0];
  }
}

@CommandHandler(CreateRecord)
export class CreateRecordHandler implements ICommandHandler<CreateRecord<Entry, object>> {
  constructor(
    private readonly modules: ModuleRef,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, type, body, context }: CreateRecord<Entry, object>): Promise<CommandResult<object>> {
    const resource = this.modules.get<unknown, Resource>(kind, { strict: false });
    const sent = withDefaults(body, resource.defaults);
    const input = { ...sent, ...resource.prepare?.(sent) };
    assertMay(context.caller, resource.writes, input);
    await resource.check?.(input, context.caller);
    const started = await this.idempotency.start(context, type, input, newId(resource.idPrefix));
    const made = await resource.create(input, started);
    const answer = (registry: () => Registry, history: readonly Recorded[]) =>
      resource.entry(registry, started.id, history);
    const written = made instanceof CommandResult ? made : await this.runner.run({ ...made, answer }, started);
    const [record] = await resource.records([written.entry]);
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

  get type(): string {
    return this.kind.commands[this.body === null ? 2 : 1];
  }
}

@CommandHandler(ChangeRecord)
export class ChangeRecordHandler implements ICommandHandler<ChangeRecord<Entry, object>> {
  constructor(
    private readonly modules: ModuleRef,
    private readonly found: Records,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute(sent: ChangeRecord<Entry, object>): Promise<CommandResult<object | null>> {
    const { kind, type, id, body, context } = sent;
    const resource = this.modules.get<unknown, Resource>(kind, { strict: false });
    const current = await this.found.find(resource, id, context.caller, resource.writes);
    const said = body && changesIn(body, resource.defaults);
    const changes = said && (resource.prepare?.(said) ?? said);
    if (changes) await resource.check?.(changes, context.caller, current);
    const started = await this.idempotency.start(context, type, { id, ...changes }, id);
    const made = changes ? await resource.update(changes, current, started) : resource.delete(current);
    const answer = (registry: () => Registry, history: readonly Recorded[]) => {
      const after = changes === null ? null : resource.entry(registry, id, history);
      return after === undefined ? undefined : { after, history };
    };
    const written = await this.runner.run({ ...made, answer }, started);
    const { after, history } = written.entry;
    await resource.stored?.(changes, after, history);
    const [record = null] = after === null ? [] : await resource.records([after]);
    return written.as(() => record);
  }
}
