import fc from 'fast-check';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Role, WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import { plainKey } from '../api-keys/api-key.decider';
import { plainLink } from '../links/link.decider';
import { Registry } from './registry';

describe('the registry', () => {
  it('finds organizations by id, and their roles by person', () => {
    const registry = registryOf(events);
    expect(registry.organization('org_1')).toEqual({ id: 'org_1', name: 'Acme', ownerId: 'usr_1', ...recorded });
    expect(registry.rolesOf('usr_1')).toEqual(new Map([['org_1', 'owner']]));
    expect(registry.rolesOf('usr_2')).toEqual(new Map());
  });

  it('finds websites by id and by organization', () => {
    const registry = registryOf(events);
    expect(registry.find('websites', 'site_1')).toEqual({ id: 'site_1', ...website, ...recorded });
    expect(registry.list('websites', 'org_1').map(({ id }) => id)).toEqual(['site_1']);
    expect(registry.list('websites', 'org_2')).toEqual([]);
  });

  it('finds the goals of a website in the order in which they were created', () => {
    const goal = (goalId: string, websiteId: string) => {
      const data = {
        goalId,
        organizationId: 'org_1',
        websiteId,
        name: goalId,
        condition: { kind: 'page' },
        value: null,
      };
      return { type: 'GoalCreated', data } as DecidedEvent;
    };
    const goals = [goal('goal_2', 'site_1'), goal('goal_3', 'site_2'), goal('goal_1', 'site_1')];
    const registry = registryOf([...events, ...goals]);
    expect(registry.goalsOfWebsite('site_1').map(({ id }) => id)).toEqual(['goal_2', 'goal_1']);
    expect(registry.list('goals', 'org_1').map(({ id }) => id)).toEqual(['goal_2', 'goal_3', 'goal_1']);
    expect(registry.goalsOfWebsite('site_2')).toEqual([]);
  });

  it('finds keys with the id of their live secret', () => {
    const registry = registryOf(events);
    expect(registry.find('apiKeys', 'key_1')).toMatchObject({ id: 'key_1', secretId: 'secret_1', start: 'svc_abcd' });
    expect(registry.list('apiKeys', 'org_1').map(({ id }) => id)).toEqual(['key_1']);
  });

  it('follows updates, each with its time and revision', () => {
    const registry = registryOf(events);
    registry.apply(later({ type: 'OrganizationUpdated', data: { ...org, name: 'New', before: { name: 'Acme' } } }));
    registry.apply(
      later({
        type: 'WebsiteUpdated',
        data: { websiteId: 'site_1', ...website, isPublic: true, retentionDays: 30, before: { isPublic: false } },
      }),
    );
    const touched = { createdAt: at.recordedAt, updatedAt: LATER, revision: 1 };
    expect(registry.organization('org_1')).toEqual({ id: 'org_1', name: 'New', ownerId: 'usr_1', ...touched });
    expect(registry.find('websites', 'site_1')).toEqual({
      id: 'site_1',
      ...website,
      isPublic: true,
      retentionDays: 30,
      ...touched,
    });
  });

  it('follows keys that are disabled, rotated and revoked', () => {
    const registry = registryOf(events);
    const held = () => registry.find('apiKeys', 'key_1');
    const settings = { ...key, enabled: false, before: { enabled: true } };
    registry.apply(later({ type: 'ApiKeyUpdated', data: { keyId: 'key_1', ...settings } }));
    expect(held()).toMatchObject({ enabled: false, secretId: 'secret_1', revokedAt: null, revision: 1 });
    const data = { keyId: 'key_1', organizationId: 'org_1', name: 'Server' };
    const rotation = { secretId: 'secret_2', start: 'svc_efgh', before: { start: 'svc_abcd' } };
    registry.apply(later({ type: 'ApiKeyRotated', data: { ...data, ...rotation } }));
    expect(held()).toMatchObject({ enabled: false, secretId: 'secret_2', start: 'svc_efgh' });
    expect(held()).not.toHaveProperty('before');
    registry.apply(later({ type: 'ApiKeyRevoked', data }));
    expect(held()).toMatchObject({ revokedAt: LATER });
    expect(registry.list('apiKeys', 'org_1')).toHaveLength(1);
  });

  it('finds nothing that was deleted', () => {
    const registry = registryOf(events);
    const named = { organizationId: 'org_1', name: 'x' };
    registry.apply(later({ type: 'WebsiteDeleted', data: { websiteId: 'site_1', ...named } }));
    registry.apply(later({ type: 'ApiKeyDeleted', data: { keyId: 'key_1', ...named } }));
    expect(everythingIn(registry)).toEqual([]);
  });

  it('finds nothing of a deleted organization, not even what is decided in it afterwards', () => {
    const registry = registryOf([...events, ...membership]);
    registry.apply(later({ type: 'OrganizationDeleted', data: { ...org, name: 'Acme' } }));
    for (const event of events.slice(1)) registry.apply({ ...event, ...at });
    expect(everythingIn(registry)).toEqual([]);
    expect(registry.organization('org_1')).toBeUndefined();
    expect(registry.isDeleted('org_1')).toBe(true);
    expect(registry.membersOf('org_1')).toEqual([]);
    expect(registry.rolesOf('usr_1')).toEqual(new Map());
    expect(registry.invitation('inv_2')).toBeUndefined();
  });

  it('counts a deletion of an organization of which nothing else is known', () => {
    const registry = registryOf([{ type: 'OrganizationDeleted', data: { ...org, name: 'Acme' } }, ...events]);
    expect(registry.isDeleted('org_1')).toBe(true);
    expect(everythingIn(registry)).toEqual([]);
  });

  it('is the same when events come twice', () => {
    const registry = registryOf([...events, ...events]);
    expect(registry.list('websites', 'org_1')).toHaveLength(1);
    expect(registry.list('apiKeys', 'org_1')).toHaveLength(1);
  });

  it('ignores events of unknown types, even with names of inherited properties', () => {
    const unknown = (type: string) => ({ type, data: {}, ...at }) as unknown as Recorded; // from a newer version
    const registry = registryOf(events);
    expect(() => ['ThingHappened', 'toString'].forEach((type) => registry.apply(unknown(type)))).not.toThrow();
  });
});

describe('the hosts of websites in the registry', () => {
  const hosts = (registry: Registry) =>
    ['example.com', 'www.example.com', 'a.b.example.com', 'app.partner.org', 'partner.org', 'new.example', ''].filter(
      (host) => registry.isWebsiteHost('org_1', host),
    );
  const changed = (details: Partial<WebsiteDetails>, websiteId = 'site_1') =>
    later({ type: 'WebsiteUpdated', data: { websiteId, ...website, ...details, before: {} } });

  it('are domains with what lies under them, and the other hosts that a website allows', () => {
    const registry = registryOf(events);
    expect(hosts(registry)).toEqual(['example.com', 'www.example.com', 'a.b.example.com']);
    for (const host of ['notexample.com', 'com', 'example.com.evil.org', '.example.com.'])
      expect(registry.isWebsiteHost('org_1', host)).toBe(false);
    expect(registry.isWebsiteHost('org_2', 'example.com')).toBe(false);
    registry.apply(changed({ allowedOrigins: ['app.partner.org'] }));
    expect(hosts(registry)).toEqual(['example.com', 'www.example.com', 'a.b.example.com', 'app.partner.org']);
  });

  it('follow changes, as long as one website has them', () => {
    const registry = registryOf([
      ...[...events, ...events],
      { type: 'WebsiteRegistered', data: { websiteId: 'site_2', ...website } },
    ]);
    registry.apply(changed({ domain: 'new.example' }));
    expect(hosts(registry)).toEqual(['example.com', 'www.example.com', 'a.b.example.com', 'new.example']);
    registry.apply(later({ type: 'WebsiteDeleted', data: { websiteId: 'site_2', ...org, name: 'Shop' } }));
    expect(hosts(registry)).toEqual(['new.example']);
    registry.apply(later({ type: 'OrganizationDeleted', data: { ...org, name: 'Acme' } }));
    expect(hosts(registry)).toEqual([]);
  });

  it('are the same when they are looked at one by one', () => {
    const label = fc.constantFrom('a', 'b', 'ab');
    const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const site = fc.record({ domain: host, allowedOrigins: fc.array(host, { maxLength: 2 }) });
    fc.assert(
      fc.property(fc.array(site, { maxLength: 4 }), fc.array(site, { maxLength: 2 }), host, (first, changes, asked) => {
        const registry = registryOf(
          first.map((each, n) => ({
            type: 'WebsiteRegistered',
            data: { ...website, ...each, websiteId: `site_${n}` },
          })),
        );
        for (const [n, each] of changes.entries()) registry.apply(changed(each, `site_${n}`));
        const isWithin = ({ domain, allowedOrigins }: { domain: string; allowedOrigins: readonly string[] }) =>
          asked === domain || asked.endsWith(`.${domain}`) || allowedOrigins.includes(asked);
        expect(registry.isWebsiteHost('org_1', asked)).toBe(registry.list('websites', 'org_1').some(isWithin));
      }),
    );
  });
});

describe('the members in the registry', () => {
  it('come by invitation, with its role', () => {
    const registry = registryOf([...events, ...membership]);
    expect(registry.member('org_1', 'usr_2')).toEqual({
      ...org,
      userId: 'usr_2',
      role: 'admin',
      joinedAt: at.recordedAt,
      joinedRevision: 0,
      roleRevision: 0,
    });
    expect(registry.rolesOf('usr_2')).toEqual(new Map([['org_1', 'admin']]));
    expect(registry.membersOf('org_1').map(({ userId }) => userId)).toEqual(['usr_1', 'usr_2']);
    expect(registry.invitation('inv_1')).toBeUndefined();
    expect(registry.invitationsOf('org_1')).toEqual([
      { id: 'inv_2', ...org, role: 'member', expiresAt: EXPIRY, invitedBy: 'usr_1', ...recorded },
    ]);
  });

  it('count as changes of their organization, whose first remaining owner stands for it', () => {
    const registry = registryOf([...events, ...membership]);
    const member = { ...org, userId: 'usr_2' };
    registry.apply(later({ type: 'MemberRoleChanged', data: { ...member, role: 'owner', before: { role: 'admin' } } }));
    expect(registry.rolesOf('usr_2')).toEqual(new Map([['org_1', 'owner']]));
    expect(registry.organization('org_1')).toMatchObject({ ownerId: 'usr_1', updatedAt: LATER, revision: 1 });
    registry.apply(later({ type: 'MemberLeft', data: { ...org, userId: 'usr_1', role: 'owner' } }));
    expect(registry.organization('org_1')).toMatchObject({ ownerId: 'usr_2' });
    expect(registry.rolesOf('usr_1')).toEqual(new Map());
  });

  it.each(['MemberRemoved', 'MemberLeft'] as const)('are gone after %s', (type) => {
    const registry = registryOf([...events, ...membership]);
    registry.apply(later({ type, data: { ...org, userId: 'usr_2', role: 'admin' } }));
    expect(registry.member('org_1', 'usr_2')).toBeUndefined();
    expect(registry.rolesOf('usr_2')).toEqual(new Map());
  });

  it('are not invited any more once the invitation is revoked', () => {
    const registry = registryOf([...events, ...membership]);
    registry.apply(later({ type: 'InvitationRevoked', data: { ...org, invitationId: 'inv_2', role: 'member' } }));
    expect(registry.invitationsOf('org_1')).toEqual([]);
  });
});

const at = { revision: 0, recordedAt: new Date('2026-01-01T00:00:00Z') };
const recorded = { createdAt: at.recordedAt, updatedAt: at.recordedAt, revision: 0 };

const website = {
  organizationId: 'org_1',
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'UTC',
  visitorIdentity: 'daily',
  retentionDays: null,
} as const;

const org = { organizationId: 'org_1' };

const link = {
  linkId: 'link_1',
  organizationId: 'org_1',
  slug: 'Spring',
  name: 'Spring sale',
  targetUrl: 'https://example.com/spring',
  ...plainLink,
};

const key = { organizationId: 'org_1', name: 'Server', ...plainKey, scopes: ['read:data' as const] };

const events: DecidedEvent[] = [
  { type: 'OrganizationCreated', data: { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' } },
  { type: 'WebsiteRegistered', data: { websiteId: 'site_1', ...website } },
  { type: 'SlugReserved', data: { slug: 'Held', linkId: 'link_9', organizationId: 'org_1' } },
  { type: 'LinkCreated', data: { ...link, createdBy: 'usr_1' } },
  { type: 'ApiKeyCreated', data: { keyId: 'key_1', secretId: 'secret_1', start: 'svc_abcd', ...key } },
];

const EXPIRY = '2026-02-01T00:00:00.000Z';
const invited = (invitationId: string, role: Role): DecidedEvent => ({
  type: 'MemberInvited',
  data: { ...org, invitationId, role, expiresAt: EXPIRY, invitedBy: 'usr_1' },
});
const membership: DecidedEvent[] = [
  invited('inv_1', 'admin'),
  invited('inv_2', 'member'),
  { type: 'MemberAdded', data: { ...org, userId: 'usr_2', role: 'admin', invitationId: 'inv_1' } },
];

const LATER = new Date('2026-01-02T00:00:00Z');
const later = (event: DecidedEvent): Recorded => ({ ...event, revision: 1, recordedAt: LATER });

const everythingIn = (registry: Registry) => [
  ...registry.list('websites', 'org_1'),
  ...registry.list('apiKeys', 'org_1'),
  ...[registry.find('websites', 'site_1'), registry.find('apiKeys', 'key_1')].filter((found) => found !== undefined),
];

const registryOf = (list: readonly DecidedEvent[]): Registry => {
  const registry = new Registry();
  for (const event of list) registry.apply({ ...event, ...at });
  return registry;
};
