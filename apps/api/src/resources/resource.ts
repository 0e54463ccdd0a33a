import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { CommandResult, type IdPrefix, type StartedCommand } from '../commands/command-context';
import type { CommandRun } from '../commands/command-runner';
import type { RegistryRecord } from '@ledgerline/contracts/records';
import type { Action, Caller, Resource as Scope } from '@ledgerline/domain/access/caller';
import type { Decider, Message } from '@ledgerline/domain/decider';
import type { StreamName } from '@ledgerline/platform/event-store/event-store';
import type { Type } from '@nestjs/common';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { notFound } from '../http/problems';
import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { RecordDto } from '../http/record.dto';

/** What an organization has and people manage: websites, flags, monitors. */
export type Entry = RegistryRecord & { readonly organizationId: string };

/**
 * What is special about one kind of entries: who may touch them, the commands of their decider, and how they are shown.
 * `Input` is all that a request can say of one; `Dto` is its record.
 */
export interface Resource<Of extends Entry = Entry, Input extends object = object, Dto extends object = object> {
  /** In errors: `Monitor` not found. */
  readonly noun: string;
  readonly idPrefix: IdPrefix;
  readonly reads: Action;
  readonly writes: Action;
  /** What a field is that a new one does not state, or that is set to null. */
  readonly defaults: object;
  /** The one with that id, in a registry or in the stream that was written. */
  readonly entry: (registry: () => Registry, id: string, history: readonly Recorded[]) => Of | undefined;
  /** Those of an organization, in the order of their list. */
  readonly entriesOf?: (registry: Registry, organizationId: string) => readonly Of[];
  /** In the place of the registry; of all organizations of the caller. */
  readonly find?: (id: string, caller: Caller) => Promise<Of | undefined>;
  /** What a permission to touch it has to cover, if not the organization and the website that it names. */
  readonly scope?: (entry: Of) => Scope;
  /** What is sent as it may be kept, even if only as a hash: of the same text always the same. */
  readonly prepare?: (input: Partial<Input>) => object;
  /** Refuses what no decider can know is wrong, before anything of a command is stored; `current` is what would change. */
  readonly check?: (input: Partial<Input>, caller: Caller, current?: Of) => void | Promise<void>;
  /** Also the result itself, where more than one stream is written. */
  readonly create: (input: Input, started: StartedCommand) => Decision | Promise<Decision> | Promise<CommandResult<Of>>;
  readonly update: (changes: Partial<Input>, current: Of, started: StartedCommand) => Decision | Promise<Decision>;
  readonly delete: (current: Of) => Decision;
  /** After a change is stored, null = a deletion, and again after its repetition. */
  readonly stored?: (
    changes: Partial<Input> | null,
    after: Of | null,
    history: readonly Recorded[],
  ) => void | Promise<void>;
  readonly records: (entries: readonly Of[]) => readonly Dto[] | Promise<readonly Dto[]>;
}

/** The class of a resource, by which commands and queries name it. */
export interface ResourceType<Of extends Entry = Entry, Dto extends object = object> extends Type<
  Resource<Of, never, Dto>
> {
  /** Those that create, change and delete one; stored with each event. */
  readonly commands: readonly [create: string, update: string, remove: string];
}

/** A command with its decider and stream. */
export type Decision = Pick<
  CommandRun<unknown, Message, DecidedEvent, unknown>,
  'decider' | 'stream' | 'command' | 'revision'
>;

/** Checks that a decider knows a command, which those who run it need not know. */
export const decision = <State, Commands extends Message, Events extends DecidedEvent>(
  decider: Decider<State, Commands, Events>,
  stream: StreamName,
  command: Commands,
  more: Pick<Decision, 'revision'> = {},
): Decision => ({ decider, stream, command, ...more }) as unknown as Decision; // its state is its own matter

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
  if (!registry.find('websites', websiteId)) await live.catchUp();
  if (registry.find('websites', websiteId)?.organizationId !== organizationId) throw notFound('Website');
}

/** What a request says, as plain data; null = the default of a field that has one. */
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
export const withDefaults = <Dto extends object, Defaults extends object>(
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
export function changesOf<Dto extends object, Fixed extends keyof Dto & string>(create: Type<Dto>, ...fixed: Fixed[]) {
  return PartialType(OmitType(create, fixed), { skipNullProperties: false });
}

/** How swagger keeps what `ApiProperty` was given. */
const PROPERTY = 'swagger/apiModelProperties';

type Property = Readonly<Record<string, unknown>>;

const namesOf = (dto: Type<object>): readonly string[] =>
  (Reflect.getMetadata(`${PROPERTY}Array`, dto.prototype as object) as readonly string[]).map((name) => name.slice(1));

/** What a request is held to, which says nothing of the record. */
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
  for (const name of namesOf(create).filter((each) => !hidden.includes(each as keyof Dto))) {
    const property = Reflect.getMetadata(PROPERTY, create.prototype as object, name) as Property;
    const kept = Object.fromEntries(
      Object.entries(property).filter(([rule, value]) => !RULES.has(rule) && value !== 'uri'),
    );
    const nullable = (defaults as Property)[name] === null;
    ApiProperty({ ...kept, required: true, nullable })(FieldsDto.prototype, name);
  }
  return FieldsDto as unknown as ReturnType<typeof recordOfFields<Details, Dto>>; // its fields are those of the declaration
}
