import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import type { StoredRecords } from '@ledgerline/contracts/records';
import { omit } from '../changes';
import { invitations, members, organizations } from './organization-records';
import { created, updated, type Handlers, type RecordChange } from './record-change';

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
