import type { Person } from '../api/people';
import { EVERY_SCOPE, type House } from './cast';

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;

const TIME = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** A secret that is shown this once. */
export const SECRET = { secret: matching(/^svc_[A-Za-z0-9]{48}$/) };

export const REVOKED = { revokedAt: TIME };

type Fields = Readonly<Record<string, unknown>>;

/** A record as the api answers it, with a new id unless there is one among the fields. */
const record = (prefix: string, fields: Fields) => ({
  id: matching(new RegExp(`^${prefix}_[0-9A-Z]{26}$`)),
  createdAt: TIME,
  updatedAt: TIME,
  revision: expect.any(Number) as number,
  ...fields,
});

export const organizationOf = ({ organizationId, id }: House, more: Fields = {}) =>
  record('org', { id: organizationId, name: 'Acme', ownerId: id, ...more });

export const SESSION = { createdAt: TIME, expiresAt: TIME };

export const accountOf = ({ id, email }: { readonly id?: string; readonly email: string }) => ({
  id: id ?? matching(/^usr_[0-9A-Z]{26}$/),
  email,
  name: 'Ada',
  createdAt: TIME,
  updatedAt: TIME,
});

export const memberOf = ({ organizationId }: House, { id, email }: Pick<Person, 'id' | 'email'>, role: string) => ({
  id,
  organizationId,
  role,
  name: 'Ada',
  email,
  joinedAt: TIME,
  revision: expect.any(Number) as number,
});

export const invitationOf = ({ organizationId }: House, more: Fields) =>
  record('inv', {
    organizationId,
    organizationName: 'Acme',
    role: 'member',
    invitedBy: matching(/^usr_[0-9A-Z]{26}$/),
    expiresAt: TIME,
    acceptUrl: matching(/^http:\/\/localhost:3000\/v1\/invitations\/inv_[0-9A-Z]{26}\/accept$/),
    ...more,
  });

export const erasureOf = ({ organizationId, id }: House, more: Fields) => ({
  id: matching(/^era_[0-9A-Z]{26}$/),
  organizationId,
  state: 'completed',
  requestedBy: id,
  completedAt: TIME,
  files: { by: TIME, isDone: false },
  proof: { eventId: matching(/^[0-9a-f-]{36}$/), destroyedKeyIds: Array(2).fill(matching(/^sk_[0-9A-Z]{26}$/)) },
  ...more,
});

export const newOrganization = (ownerId: unknown) => record('org', { name: 'New', ownerId });

export const websiteOf = ({ organizationId }: House, more: Fields = {}) =>
  record('site', {
    organizationId,
    name: 'Shop',
    domain: 'example.com',
    isPublic: false,
    allowedOrigins: [],
    timezone: 'UTC',
    visitorIdentity: 'daily',
    retentionDays: null,
    ...more,
  });

export const BLOG = { name: 'Blog', domain: 'blog.example' };

/** As `/v1/query/websites` shows it. */
export const readableOf = ({ organizationId }: House, more: Fields) => ({
  organizationId,
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  createdAt: TIME,
  ...more,
});

export const linkOf = ({ organizationId }: House, more: Fields = {}) =>
  record('link', {
    organizationId,
    slug: matching(/^[A-Za-z0-9]{8}$/),
    name: 'A link',
    targetUrl: 'https://example.com/',
    externalId: null,
    expiresAt: null,
    expiredRedirectUrl: null,
    iosUrl: null,
    androidUrl: null,
    ogTitle: null,
    ogDescription: null,
    ogImageUrl: null,
    forwardQuery: true,
    trackVisits: true,
    tagIds: [],
    shortUrl: matching(/\/[A-Za-z0-9]{8}$/),
    createdBy: matching(/^(usr|key)_[0-9A-Z]{26}$/),
    ...more,
  });

export const flagOf = ({ organizationId, websiteId }: House, more: Fields = {}) =>
  record('flag', {
    organizationId,
    websiteId,
    key: matching(/^flag-\d+$/),
    name: 'A flag',
    description: null,
    type: 'boolean',
    status: 'active',
    defaultValue: false,
    payload: null,
    environment: null,
    environments: [],
    rollout: null,
    variants: [],
    rules: [],
    ...more,
  });

export const tagOf = ({ organizationId }: House, more: Fields = {}) =>
  record('tag', { organizationId, name: matching(/^Tag \d+$/), color: 'gray', ...more });

/** A goal, funnel, segment, saved view or annotation of the website. */
export const definitionOf = (prefix: string, { organizationId, websiteId }: House, more: Fields) =>
  record(prefix, { organizationId, websiteId, ...more });

export const monitorOf = ({ organizationId }: House, more: Fields = {}) =>
  record('mon', {
    organizationId,
    name: 'A monitor',
    url: 'https://example.com/',
    method: 'GET',
    intervalSeconds: 60,
    timeoutSeconds: 10,
    expectedStatus: null,
    expectedText: null,
    unwantedText: null,
    slowAfterMs: null,
    certificateDays: null,
    ignoreTlsErrors: false,
    body: null,
    headerNames: [],
    paused: false,
    ...more,
  });

export const statusPageOf = ({ organizationId }: House, more: Fields = {}) =>
  record('status', {
    organizationId,
    slug: matching(/^page-\d+$/),
    name: 'A page',
    description: null,
    monitorIds: [],
    isPublic: true,
    timezone: 'UTC',
    url: matching(/^http:\/\/localhost:3000\/status\/page-\d+$/),
    ...more,
  });

export const incidentOf = ({ organizationId }: House, more: Fields = {}) =>
  record('inc', {
    organizationId,
    statusPageId: matching(/^status_/),
    title: 'Orders fail',
    severity: 'major',
    status: 'investigating',
    monitorIds: [],
    startsAt: null,
    endsAt: null,
    repeat: null,
    repeats: null,
    occurrence: null,
    resolvedAt: null,
    updates: [{ at: TIME, status: 'investigating', message: 'We are looking.', occurrence: null }],
    ...more,
  });

export const destinationOf = ({ organizationId }: House, more: Fields = {}) =>
  record('dst', {
    organizationId,
    name: matching(/^Destination \d+$/),
    kind: 'webhook',
    format: 'json',
    url: 'https://hooks.invalid',
    headerNames: [],
    sends: ['tag.created'],
    websiteIds: null,
    linkIds: null,
    monitorIds: null,
    goalIds: null,
    openToMembers: false,
    begin: expect.any(Number) as unknown,
    enabled: true,
    state: 'ok',
    lastAnswer: null,
    lagSeconds: 0,
    ...more,
  });

export const reportOf = ({ organizationId, id: ownerId }: House, more: Fields = {}) =>
  record('rpt', {
    organizationId,
    name: matching(/^Report \d+$/),
    websiteIds: null,
    period: 'week',
    timezone: 'UTC',
    destinationIds: [matching(/^dst_/)],
    enabled: true,
    ownerId,
    ...more,
  });

export const keyOf = ({ organizationId }: House, more: Fields = {}) =>
  record('key', {
    organizationId,
    name: 'A key',
    description: null,
    prefix: 'svc_',
    start: matching(/^svc_[A-Za-z0-9]{4}$/),
    enabled: true,
    scopes: EVERY_SCOPE,
    resources: null,
    tags: [],
    rateLimit: null,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...more,
  });

export const grantOf = ({ organizationId }: House, more: Fields = {}) =>
  record('grant', {
    organizationId,
    clientId: 'https://agent.example/client.json',
    clientName: 'Agent',
    scopes: ['read:data'],
    websiteIds: null,
    ...more,
  });

export const listOf = (data: readonly unknown[]) => ({ success: true, data, total: data.length });

export const shareOf = ({ organizationId, websiteId }: House, more: Fields = {}) =>
  record('share', {
    organizationId,
    websiteId,
    name: 'The board',
    panels: ['pages', 'sources', 'places', 'devices', 'events', 'outgoing'],
    filters: [],
    expiresAt: null,
    hasPassword: false,
    url: matching(/^http:\/\/localhost:3000\/share\/[0-9A-Z]{26}[\w-]{30}$/),
    ...more,
  });
