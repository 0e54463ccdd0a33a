import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { type Caller, type Resource as Scope, isOfWebsites, may } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { assertBelongs, assertMay } from '../auth/assert-may';
import { notFound } from '../http/problems';
import { type Decision, type Entry, type Resource, type ResourceType, changesIn, withDefaults } from './resource';
import { type CommandContext, CommandResult, type StartedCommand, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';

/** Which entries are listed. */
interface Wanted {
  readonly organizationId: string;
  /** Only those of this website. */
  readonly websiteId?: string | undefined;
}

/** Entries as those who may read or change them find them. */
@Injectable()
export class Records {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also one that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find<Of extends Entry>(
    resource: Resource<Of, never>,
    id: string,
    caller: Caller,
    action = resource.reads,
  ): Promise<Of> {
    const entry = await (resource.find ? resource.find(id, caller) : this.known(resource, id));
    if (!entry) throw notFound(resource.noun);
    const scope: Scope = resource.scope?.(entry) ?? entry;
    if (this.isOfDeletedWebsite(scope)) throw notFound(resource.noun);
    assertMay(caller, action, scope, resource.noun);
    return entry;
  }

  /** Those that the caller may read. @throws Problem NOT_FOUND or FORBIDDEN */
  list<Of extends Entry>(
    resource: Resource<Of, never>,
    { organizationId, websiteId }: Wanted,
    caller: Caller,
  ): readonly Of[] {
    const scopeOf = (entry: Of): Scope => resource.scope?.(entry) ?? entry;
    if (isOfWebsites(resource.reads)) assertBelongs(caller, organizationId);
    else assertMay(caller, resource.reads, { organizationId });
    const entries = resource.entriesOf?.(this.registry, organizationId) ?? [];
    return entries.filter((entry) => {
      const scope = scopeOf(entry);
      const isWanted = websiteId === undefined || scope.websiteId === websiteId;
      return isWanted && may(caller, resource.reads, scope) && !this.isOfDeletedWebsite(scope);
    });
  }

  /** What belongs to a website is deleted with it. */
  private isOfDeletedWebsite({ websiteId = null }: Scope): boolean {
    return websiteId !== null && !this.registry.find('websites', websiteId);
  }

  private async known<Of extends Entry>(resource: Resource<Of, never>, id: string): Promise<Of | undefined> {
    const find = () => resource.entry(() => this.registry, id, []);
    if (!find()) await this.live.catchUp();
    return find();
  }
}

/** One record, for those who may read it, or change it, too. */
export class FindRecord<Of extends Entry, Dto extends object> extends Query<Dto> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly id: string,
    readonly caller: Caller,
    readonly toChange = false,
    /** The only website that it may be of, unless it is of all. */
    readonly websiteId?: string,
  ) {
    super();
  }
}

@QueryHandler(FindRecord)
export class FindRecordHandler implements IQueryHandler<FindRecord<Entry, object>> {
  constructor(
    private readonly modules: ModuleRef,
    private readonly found: Records,
  ) {}

  async execute({ kind, id, caller, toChange, websiteId }: FindRecord<Entry, object>): Promise<object> {
    const resource = this.modules.get<unknown, Resource>(kind, { strict: false });
    const entry = await this.found.find(resource, id, caller, toChange ? resource.writes : resource.reads);
    const scope: Scope = resource.scope?.(entry) ?? entry;
    if (websiteId !== undefined && (scope.websiteId ?? websiteId) !== websiteId) throw notFound(resource.noun);
    const [record] = await resource.records([entry]);
    return record as object; // one for each
  }
}

/** The records of an organization that the caller may read. */
export class ListRecords<Of extends Entry, Dto extends object> extends Query<readonly Dto[]> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly wanted: Wanted,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListRecords)
export class ListRecordsHandler implements IQueryHandler<ListRecords<Entry, object>> {
  constructor(
    private readonly modules: ModuleRef,
    private readonly found: Records,
  ) {}

  async execute({ kind, wanted, caller }: ListRecords<Entry, object>): Promise<readonly object[]> {
    const resource = this.modules.get<unknown, Resource>(kind, { strict: false });
    return resource.records(this.found.list(resource, wanted, caller));
  }
}

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
