import type { ErasedSubject } from '@ledgerline/contracts/events/audit-log.events';
import type { DecidedEvent, RecordEvent } from '@ledgerline/contracts/events/event-versions';
import { isObject } from '@ledgerline/contracts/json';
import type { RecordEffect } from '@ledgerline/contracts/record-kind';
import { changedFieldsOfEvent, omit } from '../decider';
import type { AnyRecord, AuditRow } from '../records/define-record';
import { RECORDS } from '../records/records';

export type AuditChanges = ReturnType<typeof changedFieldsOfEvent>;

/** The target of an entry of the audit log; the name as it was then, null where the event has none. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

/** The part of an event that the audit log shows. */
interface AuditedEvent {
  readonly action: string;
  readonly target: AuditTarget;
  readonly changes: AuditChanges;
}

type Data = Readonly<Record<string, unknown>>;

/** The audit rows of events whose effect says enough by itself. */
const USUAL: { readonly [Effect in Exclude<RecordEffect, 'own'>]: (record: AnyRecord) => AuditRow<Data> } = {
  creates: ({ name, id, audit: { hidden = [], sealed } }) => ({
    action: `${name}.created`,
    shown: (data) => withoutSealed(data, sealed),
    gives: (data) => omit(data, id, 'organizationId', ...hidden),
  }),
  updates: ({ name, audit: { sealed } }) => ({
    action: `${name}.updated`,
    shown: (data) => ({ ...withoutSealed(data, sealed), before: withoutSealed(data['before'], sealed) }),
  }),
  deletes: ({ name, id, audit: { sealed } }) => ({
    action: `${name}.deleted`,
    shown: (data) => withoutSealed(data, sealed),
    takes: (data) => omit(data, id, 'organizationId'),
  }),
};

/**
 * Shows that an encrypted or hashed field changed, not its text: values of rules may name people, and headers may be
 * credentials.
 */
function withoutSealed<Details>(details: Details, field: string | undefined): Details {
  const isSealed = field !== undefined && isObject(details) && typeof details[field] === 'string';
  return isSealed ? { ...details, [field]: 'encrypted' } : details;
}

function rowsOf(record: AnyRecord): (readonly [type: string, Row])[] {
  const { name: type, id, audit, events } = record;
  const nameOf = (data: Data) => (audit.title ? audit.title(data as never) : data['name']); // of its kind
  const target = (data: Data) => ({ type, id: data[id], name: nameOf(data) });
  return Object.entries(events).map(([event, { effect }]) => {
    const usual = effect === 'own' ? {} : USUAL[effect](record);
    return [event, { target, ...usual, ...audit.rows?.[event] } as Row];
  });
}

const ofAuditLog = ({ organizationId: id }: { readonly organizationId: string }) => ({ type: 'audit_log', id });

/** A slug is reserved outside of every organization. */
type OtherEvent = Exclude<DecidedEvent, RecordEvent | { readonly type: 'SlugReserved' | 'StatusSlugReserved' }>;

/** A row for each other type of event in an organization's history; a type without its row does not compile. */
const OTHERS: {
  readonly [Type in OtherEvent['type']]: AuditRow<Extract<OtherEvent, { readonly type: Type }>['data']>;
} = {
  AuditLogExported: {
    action: 'audit_log.exported',
    target: ofAuditLog,
    gives: ({ format, filter }) => ({ format, filter }),
  },
  PersonExported: { action: 'person.exported', target: ({ websiteId: id }) => ({ type: 'website', id }) },
  DestinationTested: { action: 'destination.tested', target: ({ destinationId: id }) => ({ type: 'destination', id }) },
  DeliveriesRetried: {
    action: 'destination.retried',
    target: ({ destinationId: id }) => ({ type: 'destination', id }),
    gives: ({ deliveryIds, from, to }) => ({ deliveryIds, from, to }),
  },
  AuditLogResealed: {
    action: 'audit_log.resealed',
    target: ofAuditLog,
    takes: ({ lost }) => ({ head: lost }),
    gives: ({ reason }) => ({ reason }),
  },
  RebuildAccepted: {
    action: 'read_models.replaced',
    target: ({ organizationId: id }) => ({ type: 'organization', id }),
    gives: ({ group, tables }) => ({ group, tables }),
  },
  SubjectErased: {
    action: 'subject.erased',
    target: ({ subject }) => erased(subject),
    takes: ({ destroyedKeyIds }) => ({ destroyedKeyIds }),
  },
  ErasureExtended: {
    action: 'erasure.extended',
    target: ({ erasureId: id }) => ({ type: 'erasure', id }),
    gives: ({ visitors, sessions, clicks }) => ({
      visitors: visitors.length,
      sessions: sessions.length,
      clicks: clicks.length,
    }),
  },
  HitsExpired: {
    action: 'hits.expired',
    target: ({ websiteId: id }) => ({ type: 'website', id }),
    gives: ({ before }) => ({ before }),
  },
  HitsRewritten: {
    action: 'erasure.rewritten',
    target: ({ erasureId: id }) => ({ type: 'erasure', id }),
    gives: ({ payloads, hits }) => ({ payloads: payloads.length, hits }),
  },
};

function erased(subject: ErasedSubject | null | undefined) {
  const { userId, invitationId, profile, visitors }: Data = { ...subject };
  if (userId !== undefined) return { type: 'person', id: userId };
  if (Array.isArray(visitors)) return { type: 'visitor', id: visitors[0] as unknown };
  return invitationId === undefined ? { type: 'profile', id: profile } : { type: 'invitation', id: invitationId };
}

type Row = AuditRow<Data> & Required<Pick<AuditRow<Data>, 'target'>>;

const AUDITED: ReadonlyMap<string, Row> = new Map([
  ...Object.values<AnyRecord>(RECORDS).flatMap(rowsOf),
  ...(Object.entries(OTHERS) as [string, Row][]), // the row of a type takes its data
]);

/** An event that this version does not know, or that something else has written and that does not say what it is about. */
const UNKNOWN = 'unknown';

export const AUDIT_ACTIONS: readonly string[] = [...[...AUDITED.values()].map(({ action }) => action), UNKNOWN];

const { organizations, ...others } = RECORDS;
export const AUDIT_TARGET_TYPES: readonly string[] = [
  ...[organizations.name, 'member', 'invitation', ...Object.values(others).map(({ name }) => name)],
  ...['audit_log', 'person', 'profile', 'visitor', 'erasure', UNKNOWN],
];

export const ACTOR_TYPES = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/**
 * Returns who did it, by the metadata of an event; one that something else has appended to the store names no actor.
 */
export function auditedActor({ actor = 'unknown', actorType = '' }: Readonly<Record<string, string>>): {
  readonly type: ActorType;
  readonly id: string;
} {
  return { type: ACTOR_TYPES.find((type) => type === actorType) ?? 'system', id: actor };
}

/**
 * Returns what the audit log shows of an event; nothing of the data of one that this program does not know (undefined).
 */
export const audited = (event: StoredEvent, decided: StoredEvent | undefined) =>
  auditedEvent(decided ?? { ...event, data: {} });

interface StoredEvent {
  readonly type: string;
  readonly data: unknown;
  readonly stream: string;
}

/** Takes any event, as a store may hold what other clients have appended to it. */
export function auditedEvent(event: StoredEvent): AuditedEvent {
  const unknown = { action: UNKNOWN, target: { type: UNKNOWN, id: event.stream, name: null }, changes: {} };
  const row = AUDITED.get(event.type);
  if (!row) return unknown;
  const recorded = isObject(event.data) ? event.data : {};
  const data: Data = { ...(row.shown?.(recorded) ?? recorded) };
  const target = row.target(data);
  const id = textOf(target.id);
  if (id === null) return unknown;
  return {
    action: row.action,
    target: { type: target.type, id, name: textOf(target.name) },
    changes: {
      ...valuesOf(row.gives?.(data), (after) => ({ before: null, after })),
      ...valuesOf(row.takes?.(data), (before) => ({ before, after: null })),
      ...changedFieldsOfEvent(data),
    },
  };
}

function valuesOf(fields: object = {}, change: (value: unknown) => AuditChanges[string]): AuditChanges {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, change(value)]));
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
