import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import type { AnyRecordKind, RecordEffect } from '@ledgerline/contracts/record-kind';
import { RECORD_KINDS, type RecordKinds } from '@ledgerline/contracts/record-kinds';
import type { Details, Link, OwnEventTypeOf, StoredRecords, WithDetails } from '@ledgerline/contracts/records';
import { omit } from '../decider';
import { isReservedSlug, isSlug } from '../links/link-addresses';

/**
 * The change that an event makes to a record: it writes it whole, sets some fields of it if it exists, or removes it.
 */
type RecordChange<Stored> =
  | { readonly write: Stored }
  | { readonly set: KeyOf<Stored> & Partial<Stored> }
  | { readonly remove: KeyOf<Stored> };

type KeyOf<Stored> = Stored extends { readonly id: string } ? Pick<Stored, 'id'> : Omit<Stored, NoKey<Stored>>;
type NoKey<Stored> = Exclude<keyof Stored, 'organizationId' | 'userId'>;

/** Where records are kept; what is set of a record that does not exist changes nothing. */
export interface RecordStore<Stored> {
  write(stored: Stored): void;
  set(changes: KeyOf<Stored> & Partial<Stored>): void;
  remove(key: KeyOf<Stored>): void;
}

export function applyTo<Stored>(store: RecordStore<Stored>, change: RecordChange<Stored>): void {
  if ('write' in change) store.write(change.write);
  else if ('set' in change) store.set(change.set);
  else store.remove(change.remove);
}

/** Handlers of some types of events; having one is the subscription. */
type Handlers<Stored> = {
  readonly [Type in DecidedEvent['type']]?: (
    event: Recorded<Extract<DecidedEvent, { readonly type: Type }>>,
  ) => RecordChange<Stored>;
};

const updated = ({ recordedAt, revision }: Recorded) => ({ updatedAt: recordedAt, revision });
const created = (event: Recorded) => ({ createdAt: event.recordedAt, ...updated(event) });

/** Members and invitations are in the organization's stream: what happens to them is a change of the organization. */
const touched = (event: Recorded<OrganizationEvent>) => ({ set: { id: event.data.organizationId, ...updated(event) } });

const organizations = {
  OrganizationCreated: (event) => {
    const { organizationId: id, name } = event.data;
    return { write: { id, name, deletedAt: null, ...created(event) } };
  },
  OrganizationUpdated: (event) => {
    const { organizationId: id, name } = event.data;
    return { set: { id, name, ...updated(event) } };
  },
  OrganizationDeleted: (event) => {
    return { set: { id: event.data.organizationId, deletedAt: event.recordedAt, ...updated(event) } };
  },
  MemberInvited: touched,
  InvitationRevoked: touched,
  MemberAdded: touched,
  MemberRoleChanged: touched,
  MemberRemoved: touched,
  MemberLeft: touched,
} satisfies Handlers<StoredRecords['organizations']>;

const keyOf = ({ organizationId, userId }: { readonly organizationId: string; readonly userId: string }) => ({
  organizationId,
  userId,
});

const joined = ({ recordedAt, revision }: Recorded) => ({
  joinedAt: recordedAt,
  joinedRevision: revision,
  roleRevision: revision,
});

const members = {
  OrganizationCreated: (event) => {
    const { organizationId, ownerId: userId } = event.data;
    return { write: { organizationId, userId, role: 'owner', ...joined(event) } };
  },
  MemberAdded: (event) => ({ write: { ...keyOf(event.data), role: event.data.role, ...joined(event) } }),
  MemberRoleChanged: ({ data, revision }) => ({ set: { ...keyOf(data), role: data.role, roleRevision: revision } }),
  MemberRemoved: ({ data }) => ({ remove: keyOf(data) }),
  MemberLeft: ({ data }) => ({ remove: keyOf(data) }),
} satisfies Handlers<StoredRecords['members']>;

const invitations = {
  MemberInvited: ({ data, recordedAt: createdAt, revision }) => {
    const { invitationId: id, expiresAt, ...details } = data;
    return { write: { ...details, id, expiresAt: new Date(expiresAt), createdAt, revision } };
  },
  InvitationRevoked: ({ data }) => ({ remove: { id: data.invitationId } }),
  MemberAdded: ({ data }) => ({ remove: { id: data.invitationId } }),
} satisfies Handlers<StoredRecords['invitations']>;

const apiKeys = {
  ApiKeyRotated: (event) => {
    const { keyId: id, secretId, start } = event.data;
    return { set: { id, secretId, start, ...updated(event) } };
  },
  ApiKeyRevoked: (event) => ({ set: { id: event.data.keyId, revokedAt: event.recordedAt, ...updated(event) } }),
} satisfies Handlers<StoredRecords['apiKeys']>;

export type RecordKind = keyof StoredRecords;

/** An event whose effect is its own does not compile without a handler. */
type OwnChanges = {
  readonly [Kind in keyof RecordKinds as [OwnEventTypeOf<Kind>] extends [never] ? never : Kind]: Readonly<
    Record<OwnEventTypeOf<Kind>, unknown>
  >;
};

/** The changes that no effect says; members and invitations are in the stream of the organization. */
const OWN = { organizations, members, invitations, apiKeys } satisfies OwnChanges & {
  readonly members: object;
  readonly invitations: object;
};

/**
 * The change of the record that an event names, by its effect: its fields with columns of their own, and as details
 * what else it holds.
 */
const EFFECTS: {
  readonly [Effect in Exclude<RecordEffect, 'own'>]: (kind: AnyRecordKind, event: Recorded) => object;
} = {
  creates: (kind, event) => ({ write: { ...fieldsOf(kind, event), ...kind.initial, ...created(event) } }),
  updates: (kind, event) => ({ set: { ...fieldsOf(kind, event), ...updated(event) } }),
  deletes: ({ id }, { data }) => ({ remove: { id: dataOf(data)[id] } }),
};

const dataOf = (data: object): Readonly<Record<string, unknown>> => ({ ...data });

function fieldsOf({ id, own = [] }: AnyRecordKind, event: Recorded): object {
  const data = dataOf(event.data);
  const columns = Object.entries(data).filter(([name]) => own.includes(name));
  return { id: data[id], details: omit(data, id, 'before', ...own), ...Object.fromEntries<unknown>(columns) };
}

type Change = (event: Recorded) => RecordChange<never>;

/** By kind and type of event: what events do to records, in memory as in the read models. */
const CHANGES: ReadonlyMap<string, ReadonlyMap<string, Change>> = new Map([
  ...Object.entries<AnyRecordKind>(RECORD_KINDS).map(([name, kind]) => [name, changesOf(name, kind)] as const),
  ...(['members', 'invitations'] as const).map((name) => [name, changesOf(name)] as const),
]);

function changesOf(name: string, kind?: AnyRecordKind): ReadonlyMap<string, Change> {
  const effects = Object.entries(kind?.events ?? {}).flatMap(([type, { effect }]) =>
    kind && effect !== 'own' ? [[type, (event: Recorded) => EFFECTS[effect](kind, event)] as const] : [],
  );
  const own = Object.entries(Object.hasOwn(OWN, name) ? OWN[name as keyof typeof OWN] : {});
  return new Map([...effects, ...own] as [string, Change][]); // the handler of a type takes the events of that type
}

/** The types of the events that change records of these kinds. */
export const typesOf = (kinds: readonly RecordKind[]): readonly string[] => [
  ...new Set(kinds.flatMap((kind) => [...(CHANGES.get(kind)?.keys() ?? [])])),
];

/** Undefined for an event that changes nothing of the kind, as one of an unknown type. */
export const changeOf = <Kind extends RecordKind>(
  kind: Kind,
  event: Recorded,
): RecordChange<StoredRecords[Kind]> | undefined => CHANGES.get(kind)?.get(event.type)?.(event);

/** A stored record as it is used. */
export function withDetails<Stored extends object>(stored: Stored): WithDetails<Stored> {
  const { details, ...own } = stored as Stored & Partial<Details<object>>;
  return { ...own, ...details } as WithDetails<Stored>;
}

type StoredLink = StoredRecords['links'];

/** The link after the events of its stream; undefined before it is created and after it is deleted. */
export function linkOf(history: readonly Recorded[]): Link | undefined {
  const link = history.reduce<StoredLink | undefined>(evolve, undefined);
  return link && withDetails(link);
}

function evolve(link: StoredLink | undefined, event: Recorded): StoredLink | undefined {
  const change = changeOf('links', event);
  if (!change) return link;
  if ('set' in change) return link && { ...link, ...change.set };
  return 'write' in change ? change.write : undefined;
}

/** A link after one more event of its stream; undefined after it is deleted. */
function nextLink(link: Link, event: Recorded): Link | undefined {
  const next = evolve({ ...link, details: link }, event);
  return next && withDetails(next);
}

/** The rules of links that a lookup of them needs. */
export const linkRules = {
  linkOf,
  nextLink,
  /** False for a slug that no link can have. */
  mayBeSlug: (slug: string): boolean => isSlug(slug) && !isReservedSlug(slug),
};
