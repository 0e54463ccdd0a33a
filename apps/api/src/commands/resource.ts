import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import type { RecordKindName } from '@ledgerline/contracts/record-kinds';
import type { RegistryRecord } from '@ledgerline/contracts/records';
import type { Action, Caller, AccessTarget as Scope } from '@ledgerline/domain/access/caller';
import type { DomainMessage } from '@ledgerline/domain/decider';
import type { AnyRecord, CommandTypes } from '@ledgerline/domain/records/define-record';
import { RECORDS } from '@ledgerline/domain/records/records';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { notFound } from '../http/problems';
import { RecordDto, documentedFields } from '../http/record.dto';
import { assertMay } from '../http/route';
import type { CommandResult, IdPrefix, StartedCommand } from './command-context';
import type { CommandRun, CommandRunner } from './command-runner';

/** An entry that an organization has and people manage: websites, flags, monitors. */
export type OrganizationOwnedRecord = RegistryRecord & { readonly organizationId: string };

/** A command with its decider and stream. */
export type DecidableCommand = Pick<
  CommandRun<unknown, DomainMessage, DecidedEvent, unknown>,
  'decider' | 'stream' | 'command' | 'revision'
>;

interface Declared extends AnyRecord {
  readonly prefix: IdPrefix;
  readonly commands: CommandTypes<string>;
}

/** All resources, by the classes by which commands and queries name them. */
@Injectable()
export class Resources {
  private readonly all = new Map<unknown, Resource>();

  add(resource: Resource): void {
    this.all.set(resource.type, resource);
  }

  list(): readonly Resource[] {
    return [...this.all.values()];
  }

  of<Of extends OrganizationOwnedRecord, Dto extends object>(type: ResourceType<Of, Dto>): Resource<Of, object, Dto> {
    const found = this.all.get(type);
    if (!found) throw new Error(`No module provides ${type.name}.`);
    return found as unknown as Resource<Of, object, Dto>; // an instance of its class
  }
}

/**
 * The special parts of records of one kind beside what is declared of it: how they are checked, stored and shown.
 * `Input` is all that a request can say of one; `Dto` is its record.
 */
export abstract class Resource<
  Of extends OrganizationOwnedRecord = OrganizationOwnedRecord,
  Input extends object = object,
  Dto extends object = object,
> implements OnModuleInit {
  @Inject(Resources)
  private readonly resources: Resources;

  abstract readonly kind: RecordKindName;
  /** The values of fields that a new one does not state, or that are set to null. */
  abstract readonly defaults: object;

  onModuleInit(): void {
    this.resources.add(this);
  }

  /** As a caller sees them who may read them. */
  records(entries: readonly Of[], _caller: Caller): readonly Dto[] | Promise<readonly Dto[]> {
    return entries.map(recordOf) as readonly object[] as readonly Dto[]; // where a record shows all that it is
  }

  /** The person with whose membership a record ends; null = it belongs to the organization. */
  ownerOf?(entry: Of): string | null;

  /** In the place of the registry; of all organizations of the caller. */
  find?(id: string, caller: Caller): Promise<Of | undefined>;

  /** Returns what is sent as it may be kept, even if only as a hash: of the same text always the same. */
  prepare(input: Partial<Input>): Partial<Input> {
    return input;
  }

  /** Refuses what no decider can know is wrong, before anything of a command is stored; `current` is what would change. */
  check(_input: Partial<Input>, _caller: Caller, _current?: Of): void | Promise<void> {}

  /** The data of the command: what is sent as events hold it; `secret` is what the request itself does not say. */
  data(input: Partial<Input>, _started: StartedCommand, _current?: Of, _secret?: string): object | Promise<object> {
    return input;
  }

  /** After a change is stored, null = a deletion, and again after its repetition. */
  stored(_changes: Partial<Input> | null, _after: Of | null, _history: readonly Recorded[]): void | Promise<void> {}

  get type(): ResourceType<Of, Dto> {
    return this.constructor as ResourceType<Of, Dto>;
  }

  get declared(): Declared {
    return RECORDS[this.kind] as Declared; // nothing sends a command that its kind does not have
  }

  get reads(): Action {
    return `${this.kind}:read` as Action; // or else the kind authorizes otherwise
  }

  get writes(): Action {
    return `${this.kind}:write` as Action; // as above
  }

  /** Refuses a caller who may not do this within the scope. @throws Problem NOT_FOUND or FORBIDDEN */
  authorize(caller: Caller, action: Action, scope: Scope, name?: string): void {
    assertMay(caller, action, scope, name);
  }

  /** Returns what a permission to touch it has to cover: the organization, and the website that it names. */
  scope(entry: Of): Scope {
    return entry;
  }

  /** The one with that id, in a registry or in the stream that was written. */
  entry(registry: () => Registry, id: string, _history: readonly Recorded[]): Of | undefined {
    return registry().find(this.kind as 'goals', id) as Of | undefined; // of its kind
  }

  async create(
    input: Input,
    started: StartedCommand,
    runner: Pick<CommandRunner, 'run'>,
    secret?: string,
  ): Promise<CommandResult<Of>> {
    const decision = await this.creation(input, started, secret);
    const answer = (registry: () => Registry, history: readonly Recorded[]) =>
      this.entry(registry, started.id, history);
    return runner.run({ ...decision, answer }, started);
  }

  async creation(input: Input, started: StartedCommand, secret?: string): Promise<DecidableCommand> {
    const data = await this.data(input, started, undefined, secret);
    return this.decision(this.declared.commands.creates, data, { ...input, id: started.id }, started);
  }

  async update(changes: Partial<Input>, current: Of, started: StartedCommand): Promise<DecidableCommand> {
    const data = { changes: await this.data(changes, started, current) };
    return this.decision(this.declared.commands.updates, data, current, started);
  }

  /** Returns what a command about a record means, which its decider checks. */
  decision(type: string, data: object, record: Pick<Of, 'id'>, _started: StartedCommand): DecidableCommand {
    const { id } = record;
    const { decider, stream, id: field } = this.declared;
    return {
      decider,
      stream: stream(record as never), // of its kind
      command: { type, data: { ...data, [field]: id } },
    } as unknown as DecidableCommand; // its state is its own matter
  }
}

/** Records of which a stream holds several: those that may not share a name. */
export abstract class SharedStreamResource<
  Of extends OrganizationOwnedRecord,
  Input extends object,
  Dto extends object,
> extends Resource<Of, Input, Dto> {
  override decision(...of: Parameters<Resource<Of>['decision']>): DecidableCommand {
    const [, , { id }] = of;
    const revision = (registry: Registry) => this.entry(() => registry, id, [])?.revision;
    return { ...super.decision(...of), revision };
  }
}

/** The class of a resource, by which commands and queries name it. */
export type ResourceType<
  Of extends OrganizationOwnedRecord = OrganizationOwnedRecord,
  Dto extends object = object,
> = Type<Resource<Of, object, Dto>>;

export const historyOf = ({ createdAt, updatedAt, revision }: Omit<RegistryRecord, 'id'>) => ({
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  revision,
});

/** An entry of the registry as its record. */
export const recordOf = <Of extends RegistryRecord>({ id, createdAt, updatedAt, revision, ...details }: Of) => ({
  id,
  ...details,
  ...historyOf({ createdAt, updatedAt, revision }),
});

interface OfWebsite {
  readonly organizationId?: string;
  readonly websiteId?: string | null;
}

/** Refuses the id of what is no website of the organization; null names none. @throws Problem NOT_FOUND */
export async function assertWebsite(
  registry: Registry,
  live: LiveRegistry,
  { organizationId, websiteId = null }: OfWebsite,
): Promise<void> {
  if (websiteId === null) return;
  const website = await live.find(() => registry.find('websites', websiteId));
  if (website?.organizationId !== organizationId) throw notFound('Website');
}

/** Returns what a request says, as plain data; null = the default of a field that has one. */
export function changesIn<Dto extends object, Defaults extends object>(
  body: Dto,
  defaults: Defaults,
): Partial<WithDefaults<Dto, Defaults>> {
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const fields = Object.entries(JSON.parse(JSON.stringify(body)) as object);
  return Object.fromEntries(fields.map(([name, value]) => [name, value ?? usual.get(name) ?? null])) as ReturnType<
    typeof changesIn<Dto, Defaults>
  >; // as the DTO has validated them
}

/** All that a new one is made of, with the defaults of what was left out. */
export const withDtoDefaults = <Dto extends object, Defaults extends object>(
  body: Dto,
  defaults: Defaults,
): WithDefaults<Dto, Defaults> =>
  ({ ...defaults, ...changesIn(body, defaults) }) as unknown as WithDefaults<Dto, Defaults>; // TypeScript joins the types of both, and cannot replace one by the other

/** A field with a default is null only where that is the default. */
type WithDefaults<Dto, Defaults> = {
  readonly [Name in keyof Dto]-?: Name extends keyof Defaults
    ? null extends Defaults[Name]
      ? Exclude<Dto[Name], undefined>
      : NonNullable<Dto[Name]>
    : Dto[Name];
};

/** The class of a change: of all that a new one is made of, except what is fixed; what is left out stays as it is. */
export function updateDtoClass<Dto extends object, Fixed extends keyof Dto & string>(
  create: Type<Dto>,
  ...fixed: Fixed[]
) {
  return PartialType(OmitType(create, fixed), { skipNullProperties: false });
}

/** The rules that a request is held to, which says nothing of the record. */
const RULES: ReadonlySet<string> = new Set([
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'maxProperties'],
  ...['pattern', 'default', 'example'],
]);

/**
 * The class of a record: the fields that a new one is made of, except some; each is there, and null only where it has no
 * other default.
 */
export function recordOfFields<Details extends object, Dto extends object>(
  create: Type<Dto>,
  defaults: object,
  ...hidden: readonly (keyof Dto)[]
): Type<RecordDto & Required<Pick<Details, keyof Details & keyof Dto>>> {
  class FieldsDto extends RecordDto {}
  for (const [name, property] of documentedFields(create)) {
    if (hidden.includes(name as keyof Dto)) continue;
    const kept = Object.entries(property).filter(([rule, value]) => !RULES.has(rule) && value !== 'uri');
    const nullable = Reflect.get(defaults, name) === null;
    ApiProperty({ ...Object.fromEntries(kept), required: true, nullable })(FieldsDto.prototype, name);
  }
  return FieldsDto as unknown as ReturnType<typeof recordOfFields<Details, Dto>>; // its fields are those of the declaration
}
