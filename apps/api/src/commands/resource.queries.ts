import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Caller, type AccessTarget as Scope, isOfWebsites, may } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { notFound } from '../http/problems';
import { assertBelongs, assertMay } from '../http/route';
import { type CommandContext, newPrefixedId } from './command-context';
import { CommandRunner } from './command-runner';
import {
  type OrganizationOwnedRecord,
  type Resource,
  Resources,
  type ResourceType,
  changesIn,
  withDtoDefaults,
} from './resource';

/** The entries that are listed. */
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

  /** Finds an entry, also one that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find<Of extends OrganizationOwnedRecord>(
    resource: Resource<Of>,
    id: string,
    caller: Caller,
    action = resource.reads,
  ): Promise<Of> {
    const { noun } = resource.declared;
    const known = () => resource.entry(() => this.registry, id, []);
    const entry = await (resource.find ? resource.find(id, caller) : this.live.find(known));
    if (!entry || this.isOfDeletedWebsite(resource.scope(entry))) throw notFound(noun);
    resource.authorize(caller, action, resource.scope(entry), noun);
    return entry;
  }

  /**
   * Lists the entries that the caller may read, in the order in which they were created. @throws Problem NOT_FOUND or
   * FORBIDDEN
   */
  list<Of extends OrganizationOwnedRecord>(
    resource: Resource<Of>,
    { organizationId, websiteId }: Wanted,
    caller: Caller,
  ): readonly Of[] {
    if (isOfWebsites(resource.reads)) assertBelongs(caller, organizationId);
    else assertMay(caller, resource.reads, { organizationId });
    const entries = this.registry.list(
      resource.kind as 'goals',
      organizationId,
    ) as readonly OrganizationOwnedRecord[] as readonly Of[];
    return entries.filter((entry) => {
      const scope = resource.scope(entry);
      const isWanted = websiteId === undefined || scope.websiteId === websiteId;
      return isWanted && may(caller, resource.reads, scope) && !this.isOfDeletedWebsite(scope);
    });
  }

  /** Returns whether an entry is of a deleted website: what belongs to one is deleted with it. */
  private isOfDeletedWebsite({ websiteId = null }: Scope): boolean {
    return websiteId !== null && !this.registry.find('websites', websiteId);
  }
}

/** One record, for those who may read it, or change it, too. */
export class FindRecord<Of extends OrganizationOwnedRecord, Dto extends object> extends Query<Dto> {
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
export class FindRecordHandler implements IQueryHandler<FindRecord<OrganizationOwnedRecord, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly found: Records,
  ) {}

  async execute({
    kind,
    id,
    caller,
    toChange,
    websiteId,
  }: FindRecord<OrganizationOwnedRecord, object>): Promise<object> {
    const resource = this.resources.of(kind);
    const entry = await this.found.find(resource, id, caller, toChange ? resource.writes : resource.reads);
    const scope = resource.scope(entry);
    if (websiteId !== undefined && (scope.websiteId ?? websiteId) !== websiteId) throw notFound(resource.declared.noun);
    const [record] = await resource.records([entry], caller);
    return record as object; // one for each
  }
}

/** The records of an organization that the caller may read. */
export class ListRecords<Of extends OrganizationOwnedRecord, Dto extends object> extends Query<readonly Dto[]> {
  constructor(
    readonly kind: ResourceType<Of, Dto>,
    readonly wanted: Wanted,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListRecords)
export class ListRecordsHandler implements IQueryHandler<ListRecords<OrganizationOwnedRecord, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly found: Records,
  ) {}

  async execute({ kind, wanted, caller }: ListRecords<OrganizationOwnedRecord, object>): Promise<readonly object[]> {
    const resource = this.resources.of(kind);
    return resource.records(this.found.list(resource, wanted, caller), caller);
  }
}

/**
 * Refuses whatever creating (`id` null) or changing a record would be refused for, and stores nothing. For resources whose
 * decisions store nothing by themselves.
 */
export class PreviewRecord<Of extends OrganizationOwnedRecord, Dto extends object> extends Query<void> {
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
export class PreviewRecordHandler implements IQueryHandler<PreviewRecord<OrganizationOwnedRecord, object>> {
  constructor(
    private readonly resources: Resources,
    private readonly found: Records,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ kind, id, body, context }: PreviewRecord<OrganizationOwnedRecord, object>): Promise<void> {
    const resource = this.resources.of(kind);
    const { caller } = context;
    const current = id === null ? undefined : await this.found.find(resource, id, caller, resource.writes);
    const input = current ? changesIn(body, resource.defaults) : withDtoDefaults(body, resource.defaults);
    if (!current) resource.authorize(caller, resource.writes, input as { readonly organizationId: string }); // as it was validated
    await resource.check(input, caller, current);
    const started = {
      ...context,
      commandId: '',
      startedAt: new Date(),
      id: id ?? newPrefixedId(resource.declared.prefix),
    };
    const decision = current ? resource.update(input, current, started) : resource.creation(input, started);
    await this.runner.preview(await decision, started);
  }
}
