import type { Scope } from './events/api-key.events';
import type { Event } from './events/event';
import type { Role } from './events/organization.events';
import type { Upcaster } from './events/upcasters';
import type { Json } from './json';
import { type ReadModel, key, last, readModel } from './read-models/read-model';

/**
 * The effect of an event on the record that it names; `own`: what the changes of records declare for this event alone.
 */
export type RecordEffect = 'creates' | 'updates' | 'deletes' | 'own';

export interface RecordEventDeclaration<Data> {
  readonly effect: RecordEffect;
  /** From version 1 on: the current version is one more than there are. */
  readonly upcasters?: readonly Upcaster[];
  /**
   * True if a key, a session, a member, a client or who has the address of a share may do less after the event than
   * before.
   */
  readonly revokes?: true | ((data: Data) => boolean);
}

/**
 * The rule of who may do something: people from this role up, and keys and clients with this scope. Without a role no
 * person may, without a scope no key.
 */
export interface AccessRule {
  readonly role?: Role;
  readonly scope?: Scope;
  /** A second scope that keys and clients need. */
  readonly alsoScope?: Scope;
  /** The scope that the grant of a client needs where no key may do it, beside the role of the person. */
  readonly grantScope?: Scope;
}

/** The rules of who may read records of a kind, and who may create, change and delete them. */
export interface RecordAccessRules {
  readonly read: AccessRule;
  readonly write: AccessRule;
  /** True if it can be allowed on a single website: a list holds what the caller may read of it. */
  readonly isOfWebsites?: true;
}

const READ = { role: 'member', scope: 'read:data' } as const;
const MEMBERS = { read: READ, write: { role: 'member', scope: 'write:data' } } as const satisfies RecordAccessRules;
const ADMINS = { read: READ, write: { role: 'admin', scope: 'write:data' } } as const satisfies RecordAccessRules;

export const ACCESS = {
  members: MEMBERS,
  membersByWebsite: { ...MEMBERS, isOfWebsites: true },
  /** A key that could not read could have figures sent. */
  alerts: { read: READ, write: { ...MEMBERS.write, alsoScope: 'read:data' }, isOfWebsites: true },
  admins: ADMINS,
  adminsByWebsite: { ...ADMINS, isOfWebsites: true },
  flags: {
    read: { role: 'member', scope: 'manage:flags' },
    write: { role: 'admin', scope: 'manage:flags' },
    isOfWebsites: true,
  },
  peopleAlone: { read: { role: 'member' }, write: { role: 'admin' } },
  /** What it sends is sent with the right of a person. */
  adminsAndTheirClients: {
    read: { role: 'admin', grantScope: 'read:data' },
    write: { role: 'admin', grantScope: 'write:data' },
  },
  /** A key that could make keys could outlive its own revocation. */
  adminsThemselves: { read: { role: 'admin' }, write: { role: 'admin' } },
} as const satisfies Readonly<Record<string, RecordAccessRules>>;

/** The declaration of one kind of record; an event that is not listed does not compile. */
interface RecordKind<Events extends Event<string, object>> {
  /** In the audit log: its target, and the beginning of its actions. */
  readonly name: string;
  /** In errors: `Monitor` not found. */
  readonly noun: string;
  /** The field of events that holds the id. */
  readonly id: string;
  /** The beginning of an id. */
  readonly prefix: string;
  /** The name of the stream of a record. */
  readonly stream: (record: never) => string;
  readonly events: {
    readonly [Type in Events['type']]: RecordEventDeclaration<Extract<Events, { readonly type: Type }>['data']>;
  };
  readonly table: ReadModel;
  /** Null of what is one person's own. */
  readonly access: RecordAccessRules | null;
  /**
   * The greatest number of records that a website, or what else they are of, may have; by default as many as there are.
   */
  readonly atMost?: number;
  /** Fields with columns of their own, of the record beside its details. */
  readonly own?: readonly string[];
  /** The first values of such fields where the event that creates a record does not hold them. */
  readonly initial?: Readonly<Record<string, Json>>;
  /** Fields that records of earlier versions lack, with what they are where they are absent. */
  readonly later?: Readonly<Record<string, Json>>;
}

/** A kind of whichever records. */
export interface AnyRecordKind extends Omit<RecordKind<never>, 'events'> {
  readonly events: Readonly<Record<string, RecordEventDeclaration<never>>>;
}

/** The types of a kind. */
interface Types<Events, Details, Own> {
  readonly types?: { readonly events: Events; readonly details: Details; readonly own: Own };
}

/** Checks the declaration of a kind where it is written. */
export const recordKind =
  <Events extends Event<string, object>, Details extends object, Own extends object = object>() =>
  <const Kind extends RecordKind<Events>>(kind: Kind): Kind & Types<Events, Details, Own> =>
    kind;

/** A stream for each record. */
export const streamById =
  (name: string) =>
  ({ organizationId, id }: { organizationId: string; id: string }): string =>
    `${organizationId}-${name}-${id}`;

/** A stream for all records of one kind of a website, or with null of the organization: their names are unique there. */
const streamByWebsite =
  (name: string) =>
  ({ organizationId, websiteId }: { organizationId: string; websiteId: string | null }): string =>
    `${organizationId}-${name}-${websiteId ?? organizationId}`;

/** A stream for all records of one kind of an organization. */
export const streamOfOrganization =
  (name: string) =>
  ({ organizationId }: { organizationId: string }): string =>
    streamByWebsite(name)({ organizationId, websiteId: null });

export const idColumns = { id: key('text'), organization_id: last('text') };
export const detailsColumn = { details: last('jsonb') };
export const timeColumns = {
  created_at: last('timestamptz'),
  updated_at: last('timestamptz'),
  revision: last('integer'),
};

/** A table of records: id, organization, all details in one column, times and revision. */
export const detailsTable = (name: string) =>
  readModel(name, { ...idColumns, ...detailsColumn, ...timeColumns }, [{ on: ['organization_id', 'created_at'] }]);

/** For a rule that counts changes of these fields alone. */
export const changed =
  (...fields: readonly string[]) =>
  ({ before }: { readonly before: object }): boolean =>
    Object.keys(before).some((field) => fields.includes(field));

/** The events of a record that is created, updated and deleted; `last` of the one that deletes it. */
export const lifecycle = <const Name extends string>(
  name: Name,
  upcasters: readonly Upcaster[] = [],
  last: readonly Upcaster[] = [],
) =>
  ({
    [`${name}Created`]: { effect: 'creates', upcasters },
    [`${name}Updated`]: { effect: 'updates', upcasters },
    [`${name}Deleted`]: { effect: 'deletes', upcasters: last },
  }) as Lifecycle<Name>; // the compiler widens the names

interface Step<Effect> {
  readonly effect: Effect;
  readonly upcasters: readonly Upcaster[];
}

type Lifecycle<Name extends string> = Readonly<
  Record<`${Name}Created`, Step<'creates'>> &
    Record<`${Name}Updated`, Step<'updates'>> &
    Record<`${Name}Deleted`, Step<'deletes'>>
>;

/** A kind with the events of its life, and a row of details for each record. */
export const typicalKind = <
  const Noun extends string,
  const Prefix extends string,
  const Given extends RecordAccessRules,
>(
  noun: Noun,
  prefix: Prefix,
  access: Given,
) => {
  const name = noun.toLowerCase().replace(' ', '_') as SnakeCase<Noun>;
  const pascal = noun.replace(/ (.)/, (_, first: string) => first.toUpperCase()) as PascalCase<Noun>;
  return {
    name,
    noun,
    id: `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}Id` as `${Uncapitalize<PascalCase<Noun>>}Id`,
    prefix,
    access,
    events: lifecycle(pascal),
    table: detailsTable(`${name}s`),
  } as const;
};

type PascalCase<Words extends string> = Words extends `${infer First} ${infer Other}`
  ? `${First}${Capitalize<Other>}`
  : Words;

type SnakeCase<Words extends string> = Words extends `${infer First} ${infer Other}`
  ? `${Lowercase<First>}_${Lowercase<Other>}`
  : Lowercase<Words>;

/** A stream for all definitions of one kind of a website, or with null of the organization: their names are unique there. */
export const definedByWebsite = (name: string) => ({
  atMost: 500,
  stream: streamByWebsite(name),
});
