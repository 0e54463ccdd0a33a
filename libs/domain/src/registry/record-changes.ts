import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import { type StoredRecords, withDetails, type Link } from '@ledgerline/contracts/records';
import { omit } from '../decider';
import { isReservedSlug, isSlug } from '../links/link-addresses';

/** What an event does to a record: writes it whole, sets some fields of it if it exists, or removes it. */
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

export type RecordKind = keyof StoredRecords;

/** The id of a record, and what else an event holds now. */
const detailed = <Data extends object, Id extends keyof Data>(data: Data, id: Id) => ({
  id: data[id],
  details: omit<Data & { readonly before?: unknown }, Id | 'before'>(data, id, 'before'),
});

/** What each event does to the records of each kind, in memory as in the read models. */
const CHANGES = {
  organizations,
  members,
  invitations,
  websites: {
    WebsiteRegistered: (event) => ({ write: { ...detailed(event.data, 'websiteId'), ...created(event) } }),
    WebsiteUpdated: (event) => ({ set: { ...detailed(event.data, 'websiteId'), ...updated(event) } }),
    WebsiteDeleted: ({ data }) => ({ remove: { id: data.websiteId } }),
  },
  links: {
    LinkCreated: (event) => {
      const { createdBy, ...data } = event.data;
      return { write: { ...detailed(data, 'linkId'), createdBy, ...created(event) } };
    },
    LinkUpdated: (event) => ({ set: { ...detailed(event.data, 'linkId'), ...updated(event) } }),
    LinkDeleted: ({ data }) => ({ remove: { id: data.linkId } }),
  },
  flags: {
    FlagCreated: (event) => ({ write: { ...detailed(event.data, 'flagId'), ...created(event) } }),
    FlagUpdated: (event) => ({ set: { ...detailed(event.data, 'flagId'), ...updated(event) } }),
    FlagDeleted: ({ data }) => ({ remove: { id: data.flagId } }),
  },
  goals: {
    GoalCreated: (event) => ({ write: { ...detailed(event.data, 'goalId'), ...created(event) } }),
    GoalUpdated: (event) => ({ set: { ...detailed(event.data, 'goalId'), ...updated(event) } }),
    GoalDeleted: ({ data }) => ({ remove: { id: data.goalId } }),
  },
  funnels: {
    FunnelCreated: (event) => ({ write: { ...detailed(event.data, 'funnelId'), ...created(event) } }),
    FunnelUpdated: (event) => ({ set: { ...detailed(event.data, 'funnelId'), ...updated(event) } }),
    FunnelDeleted: ({ data }) => ({ remove: { id: data.funnelId } }),
  },
  segments: {
    SegmentCreated: (event) => ({ write: { ...detailed(event.data, 'segmentId'), ...created(event) } }),
    SegmentUpdated: (event) => ({ set: { ...detailed(event.data, 'segmentId'), ...updated(event) } }),
    SegmentDeleted: ({ data }) => ({ remove: { id: data.segmentId } }),
  },
  annotations: {
    AnnotationCreated: (event) => ({ write: { ...detailed(event.data, 'annotationId'), ...created(event) } }),
    AnnotationUpdated: (event) => ({ set: { ...detailed(event.data, 'annotationId'), ...updated(event) } }),
    AnnotationDeleted: ({ data }) => ({ remove: { id: data.annotationId } }),
  },
  monitors: {
    MonitorCreated: (event) => ({ write: { ...detailed(event.data, 'monitorId'), ...created(event) } }),
    MonitorUpdated: (event) => ({ set: { ...detailed(event.data, 'monitorId'), ...updated(event) } }),
    MonitorDeleted: ({ data }) => ({ remove: { id: data.monitorId } }),
  },
  statusPages: {
    StatusPageCreated: (event) => ({ write: { ...detailed(event.data, 'statusPageId'), ...created(event) } }),
    StatusPageUpdated: (event) => ({ set: { ...detailed(event.data, 'statusPageId'), ...updated(event) } }),
    StatusPageDeleted: ({ data }) => ({ remove: { id: data.statusPageId } }),
  },
  incidents: {
    IncidentCreated: (event) => ({ write: { ...detailed(event.data, 'incidentId'), ...created(event) } }),
    IncidentUpdated: (event) => ({ set: { ...detailed(event.data, 'incidentId'), ...updated(event) } }),
    IncidentDeleted: ({ data }) => ({ remove: { id: data.incidentId } }),
  },
  shares: {
    ShareCreated: (event) => ({ write: { ...detailed(event.data, 'shareId'), ...created(event) } }),
    ShareUpdated: (event) => ({ set: { ...detailed(event.data, 'shareId'), ...updated(event) } }),
    ShareDeleted: ({ data }) => ({ remove: { id: data.shareId } }),
  },
  apiKeys: {
    ApiKeyCreated: (event) => {
      const { secretId, start, ...data } = event.data;
      const secret = { secretId, start, enabled: true, revokedAt: null };
      return { write: { ...detailed(data, 'keyId'), ...secret, ...created(event) } };
    },
    ApiKeyUpdated: (event) => {
      const { enabled, ...data } = event.data;
      return { set: { ...detailed(data, 'keyId'), enabled, ...updated(event) } };
    },
    ApiKeyRotated: (event) => {
      const { keyId: id, secretId, start } = event.data;
      return { set: { id, secretId, start, ...updated(event) } };
    },
    ApiKeyRevoked: (event) => ({ set: { id: event.data.keyId, revokedAt: event.recordedAt, ...updated(event) } }),
    ApiKeyDeleted: ({ data }) => ({ remove: { id: data.keyId } }),
  },
  oauthGrants: {
    OAuthGrantCreated: (event) => ({ write: { ...detailed(event.data, 'grantId'), ...created(event) } }),
    OAuthGrantRevoked: ({ data }) => ({ remove: { id: data.grantId } }),
  },
} satisfies Changes;

type Changes = { readonly [Kind in RecordKind]: Handlers<StoredRecords[Kind]> };

type HandledType = { [Kind in RecordKind]: keyof (typeof CHANGES)[Kind] }[RecordKind];

/** What changes no record; while another event has no handler, this does not compile. */
export const WITHOUT_RECORDS: Readonly<Record<Exclude<DecidedEvent['type'], HandledType>, true>> = {
  SlugReserved: true,
  StatusSlugReserved: true,
  AuditLogExported: true,
  AuditLogResealed: true,
  RebuildAccepted: true,
  SubjectErased: true,
};

/** The types of the events that change records of these kinds. */
export const typesOf = (kinds: readonly RecordKind[]): readonly string[] => [
  ...new Set(kinds.flatMap((kind) => Object.keys(CHANGES[kind]))),
];

/** What an event does to the records of a kind; undefined = nothing, as an event of an unknown type. */
export function changeOf<Kind extends RecordKind>(
  kind: Kind,
  event: Recorded,
): RecordChange<StoredRecords[Kind]> | undefined {
  const changes: Changes = CHANGES;
  const handlers = changes[kind];
  if (!Object.hasOwn(handlers, event.type)) return undefined;
  // the handler of a type takes the events of that type, which the compiler cannot infer through a union
  const handler = handlers[event.type] as (event: Recorded) => RecordChange<StoredRecords[Kind]>;
  return handler(event);
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

/** What a lookup of links has to know about them. */
export const linkRules = {
  linkOf,
  nextLink,
  /** False for a slug that no link can have. */
  mayBeSlug: (slug: string): boolean => isSlug(slug) && !isReservedSlug(slug),
};
