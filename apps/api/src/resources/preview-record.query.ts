import { ModuleRef } from '@nestjs/core';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import { CommandResult, type CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { newId, type StartedCommand } from '../commands/idempotency-store';
import type { Decision, Entry, Resource, ResourceType } from './resource';
import { changesIn, withDefaults } from './resource.dto';
import { Records } from './resource.queries';

/**
 * Refuses whatever creating (`id` null) or changing a record would be refused for, and stores nothing. For resources whose
 * decisions store nothing by themselves.
 */
export class PreviewRecord<Of extends Entry, Dto extends object> extends Query<void> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly id: string | null,
    readonly body: object,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@QueryHandler(PreviewRecord)
export class PreviewRecordHandler implements IQueryHandler<PreviewRecord<Entry, object>> {
  constructor(
    private readonly modules: ModuleRef,
    private readonly found: Records,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, id, body, context }: PreviewRecord<Entry, object>): Promise<void> {
    const resource = this.modules.get<unknown, Resource>(kind, { strict: false });
    const started = { ...context, commandId: '', startedAt: new Date(), id: id ?? newId(resource.idPrefix) };
    const made =
      id === null ? await this.creation(resource, body, started) : await this.change(resource, body, started);
    if (made instanceof CommandResult) throw new Error(`A new ${resource.noun} cannot be previewed.`);
    await this.runner.preview(made, started);
  }

  private async creation(resource: Resource, body: object, started: StartedCommand) {
    const input = withDefaults(body as { readonly organizationId: string }, resource.defaults); // as it was validated
    assertMay(started.caller, resource.writes, input);
    await resource.check?.(input, started.caller);
    return resource.create(input, started);
  }

  private async change(resource: Resource, body: object, started: StartedCommand): Promise<Decision> {
    const current = await this.found.find(resource, started.id, started.caller, resource.writes);
    const changes = changesIn(body, resource.defaults);
    await resource.check?.(changes, started.caller, current);
    return resource.update(changes, current, started);
  }
}
