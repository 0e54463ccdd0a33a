import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import { type DecidedEvent, decidedVersions, observedVersions } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { plainKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { plainFlag } from '@ledgerline/domain/flags/flag.decider';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { plainMonitor } from '@ledgerline/domain/monitors/monitor.decider';
import { DEFINITION_SAMPLES, type DataOf } from './definition-samples';
import { OBSERVED_SAMPLES } from './observed-samples';

const organizationId = 'org_golden';
const websiteId = 'site_golden';
const linkId = 'link_golden';
const keyId = 'key_golden';
const flagId = 'flag_golden';
const userId = 'usr_golden';
const invitationId = 'inv_golden';
const monitorId = 'mon_golden';
const statusPageId = 'status_golden';
const incidentId = 'inc_golden';
const grantId = 'grant_golden';
const shareId = 'share_golden';
const at = '2026-11-20T10:00:00.000Z';
const hash = 'ab'.repeat(32);
const payloads = [{ partition: 3, offset: 40, before: hash, after: hash, size: 1_200 }];

const website = {
  organizationId,
  name: 'Shop',
  domain: 'shop.example',
  isPublic: true,
  allowedOrigins: ['app.example'],
  timezone: 'Europe/Berlin',
  visitorIdentity: 'daily',
  retentionDays: 400,
} as const;
const link = { organizationId, slug: 'golden', name: 'Sale', targetUrl: 'https://shop.example/sale', ...plainLink };
const flag = {
  organizationId,
  websiteId,
  ...plainFlag,
  key: 'checkout',
  name: 'Checkout',
  type: 'rollout',
  rollout: { percentage: 20, by: 'user' },
  payload: { steps: [1, 2] },
  environments: [{ name: 'live', status: 'inactive' }],
  rules: [
    {
      attribute: 'email',
      operator: 'ends_with',
      enabled: true,
      and: [{ attribute: 'properties.seats', operator: 'gte' }],
      rollout: { percentage: 50, by: 'team' },
    },
  ],
  ruleValues: 'c2VhbGVk',
} as const;
const monitor = { organizationId, ...plainMonitor, name: 'Home', url: 'https://shop.example/', expectedText: 'Shop' };
const page = {
  organizationId,
  slug: 'golden-status',
  name: 'Status',
  description: null,
  monitorIds: [monitorId],
  timezone: 'Europe/Berlin',
};
const incident = {
  organizationId,
  statusPageId,
  title: 'Slow',
  monitorIds: [monitorId],
  startsAt: null,
  endsAt: null,
  severity: 'minor',
  status: 'resolved',
  resolvedAt: at,
  updates: [{ at, status: 'resolved', message: 'Fast again' }],
} as const;
const maintenance = {
  ...incident,
  severity: 'maintenance',
  repeat: {
    every: 'week',
    interval: 2,
    weekdays: ['tuesday'],
    monthDay: null,
    timezone: 'Europe/Berlin',
    startTime: '02:00',
    durationMinutes: 60,
    from: '2026-11-01',
    until: null,
  },
  repeatSetAt: at,
  updates: [{ at, status: 'resolved', message: 'Done', occurrence: '2026-11-10' }],
} as const;
const share = {
  organizationId,
  websiteId,
  name: 'The board',
  expiresAt: at,
  passwordHash: null,
  panels: ['pages', 'sources'],
  filters: [{ field: 'path', op: 'starts_with', value: '/sale' }],
} as const;
const key = {
  organizationId,
  name: 'Server',
  ...plainKey,
  scopes: ['read:data', 'track:events'],
  tags: ['ci'],
} as const;
const secret = { secretId: 'sec_golden', start: 'svc_go' };
const grant = { organizationId, userId, clientId: 'https://agent.example/client.json', clientName: 'Agent' };
const { organizationId: _, ...linkSettings } = link;

const use = { organizationId, destinationId: 'dst_golden', useId: 'use_golden' };

/** An event of each type as this version of the product writes it; what a deletion names does not exist, so all stays to be looked at. */
const DECIDED_SAMPLES: DataOf<DecidedEvent> = {
  OrganizationCreated: { organizationId, name: 'Acme', ownerId: userId },
  OrganizationUpdated: { organizationId, name: 'Acme Ltd', before: { name: 'Acme' } },
  OrganizationDeleted: { organizationId: 'org_gone', name: 'Gone' },
  MemberInvited: { organizationId, invitationId, role: 'admin', invitedBy: userId, expiresAt: at },
  InvitationRevoked: { organizationId, invitationId: 'inv_gone', role: 'member' },
  MemberAdded: { organizationId, userId: 'usr_other', role: 'member', invitationId: 'inv_used' },
  MemberRoleChanged: { organizationId, userId: 'usr_other', role: 'admin', before: { role: 'member' } },
  MemberRemoved: { organizationId, userId: 'usr_gone', role: 'member' },
  MemberLeft: { organizationId, userId: 'usr_left', role: 'member' },
  WebsiteRegistered: { websiteId, ...website },
  WebsiteUpdated: { websiteId, ...website, name: 'Store', before: { name: 'Shop' } },
  WebsiteDeleted: { websiteId: 'site_gone', ...website },
  SlugReserved: { slug: link.slug, linkId, organizationId },
  LinkCreated: { linkId, ...link, createdBy: userId },
  LinkUpdated: { linkId, ...link, iosUrl: 'https://ios.example/', before: { iosUrl: null } },
  LinkDeleted: { linkId: 'link_gone', organizationId, ...linkSettings },
  FlagCreated: { flagId, ...flag },
  FlagUpdated: { flagId, ...flag, status: 'inactive', before: { status: 'active' } },
  FlagDeleted: { flagId: 'flag_gone', organizationId, websiteId: null, key: 'gone', name: 'Gone', status: 'archived' },
  ...DEFINITION_SAMPLES,
  MonitorCreated: { monitorId, ...monitor },
  MonitorUpdated: { monitorId, ...monitor, paused: true, before: { paused: false } },
  MonitorDeleted: { monitorId: 'mon_gone', organizationId, name: 'Gone', url: 'https://gone.example/' },
  StatusPageCreated: { statusPageId, ...page, isPublic: false },
  StatusPageUpdated: { statusPageId, ...page, isPublic: true, before: { isPublic: false } },
  StatusPageDeleted: { statusPageId: 'status_gone', organizationId, slug: 'gone', name: 'Gone', isPublic: false },
  StatusSlugReserved: { slug: page.slug, organizationId },
  IncidentCreated: { incidentId, ...incident, repeat: null, repeatSetAt: null },
  IncidentUpdated: { incidentId, ...maintenance, before: { severity: 'minor', repeat: null, repeatSetAt: null } },
  IncidentDeleted: { incidentId: 'inc_gone', organizationId, statusPageId, title: 'Gone' },
  ShareCreated: { shareId, ...share },
  ShareUpdated: { shareId, ...share, passwordHash: 'salt:hash', before: { passwordHash: null } },
  ShareDeleted: { shareId: 'share_gone', organizationId, websiteId, name: 'Gone', panels: [], filters: [] },
  ApiKeyCreated: { keyId, ...key, ...secret },
  ApiKeyUpdated: {
    keyId,
    ...key,
    enabled: true,
    resources: { [websiteId]: ['read:data'] },
    before: { resources: null },
  },
  ApiKeyRotated: { keyId, organizationId, name: key.name, ...secret, before: { start: 'svc_be' } },
  ApiKeyRevoked: { keyId, organizationId, name: key.name },
  ApiKeyDeleted: { keyId: 'key_gone', organizationId, name: 'Gone', enabled: false, start: 'svc_go' },
  OAuthGrantCreated: { grantId, ...grant, scopes: ['read:data'], websiteIds: [websiteId] },
  OAuthGrantRevoked: { grantId: 'grant_gone', ...grant, reason: 'departure' },
  AuditLogExported: { organizationId, exportId: 'exp_golden', format: 'csv', filter: { from: at } },
  PersonExported: { organizationId, exportId: 'exp_golden', websiteId },
  DestinationTested: use,
  DeliveriesRetried: { ...use, deliveryIds: ['0198c4f2-6f0e-5d7e-9a53-2d3f6a1c8e94'], from: null, to: null },
  AuditLogResealed: { organizationId, resealId: 'res_golden', reason: 'Restored', lost: { revision: 3, hash } },
  RebuildAccepted: {
    organizationId,
    acceptanceId: 'rebuild_golden',
    group: 'links',
    tables: [{ table: 'link_cities', onlyBefore: 1, onlyAfter: 2 }],
  },
  SubjectErased: {
    organizationId,
    erasureId: 'era_golden',
    subject: { websiteId, visitors: ['a1'.repeat(16)], reached: ['2026-11-20'] },
    destroyedKeyIds: [],
  },
  ErasureExtended: {
    organizationId,
    erasureId: 'era_golden',
    websiteId,
    until: at,
    visitors: ['a1'.repeat(16)],
    sessions: ['b2'.repeat(16)],
    clicks: [{ linkId, id: '01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' }],
  },
  HitsExpired: { organizationId, erasureId: 'era_golden', websiteId, before: '2026-08-20', until: at },
  HitsRewritten: { organizationId, erasureId: 'era_golden', epoch: 'epoch_golden', payloads, hits: 2, rules: 1 },
};

/** An event of the current version, to be stored in the golden logs. */
export interface Sample {
  readonly type: string;
  readonly version: number;
  readonly data: JsonObject & { readonly organizationId?: string };
}

const samplesOf = (samples: object, versionOf: (type: string) => number): readonly Sample[] =>
  Object.entries(samples).map(([type, data]) => ({ type, version: versionOf(type), data: data as Sample['data'] }));

const SIGNED_HEADS = {
  IntakeHeadsSigned: {
    epoch: '00000000-0000-4000-8000-000000000000',
    heads: [{ partition: 0, offset: 3, chain: hash }],
    signedAt: at,
    keyId: 'key_golden',
    signature: 'c2lnbmVk',
  },
};

export const decidedSamples = samplesOf({ ...DECIDED_SAMPLES, ...SIGNED_HEADS }, (type) =>
  decidedVersions.current(type),
);
export const observedSamples = samplesOf(OBSERVED_SAMPLES, (type) => observedVersions.current(type));

/** In the order of the versions, a minute apart. */
export const observedEvent = ({ type, version, data }: Sample, place: number): ObservedEvent => {
  const time = Date.parse(at) + place * 60_000;
  const id = derivedEventId('golden', type, String(version));
  return { type, id, at: time, receivedAt: time + 500, data } as unknown as ObservedEvent; // a sample of its type
};
