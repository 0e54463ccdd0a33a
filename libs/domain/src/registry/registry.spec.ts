import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import { plainKey } from '../api-keys/plain-key';
import { plainLink } from '../links/plain-link';
import { Registry } from './registry';

describe('the registry', () => {
  it('finds organizations by id and by owner', () => {
    const registry = registryOf(events);
    expect(registry.organization('org_1')).toEqual({ id: 'org_1', name: 'Acme', ownerId: 'usr_1', ...recorded });
    expect(registry.organizationsOwnedBy('usr_1').map(({ id }) => id)).toEqual(['org_1']);
    expect(registry.organizationsOwnedBy('usr_2')).toEqual([]);
  });

  it('finds websites by id and by organization', () => {
    const registry = registryOf(events);
    expect(registry.website('site_1')).toEqual({ id: 'site_1', ...website, ...recorded });
    expect(registry.websitesOf('org_1').map(({ id }) => id)).toEqual(['site_1']);
    expect(registry.websitesOf('org_2')).toEqual([]);
  });

  it('finds links by id and by slug, whose case counts', () => {
    const registry = registryOf(events);
    expect(registry.link('link_1')).toMatchObject({ id: 'link_1', slug: 'Spring', createdBy: 'usr_1' });
    expect(registry.linkBySlug('Spring')?.id).toBe('link_1');
    expect(registry.linkBySlug('spring')).toBeUndefined();
  });

  it('finds no link of a slug that is only reserved', () =>
    expect(registryOf(events).linkBySlug('Held')).toBeUndefined());

  it('finds keys with the id of their live secret', () => {
    const registry = registryOf(events);
    expect(registry.key('key_1')).toMatchObject({ id: 'key_1', secretId: 'secret_1', start: 'svc_abcd' });
    expect(registry.keysOf('org_1').map(({ id }) => id)).toEqual(['key_1']);
  });

  it('is the same when events come twice', () => {
    const registry = registryOf([...events, ...events]);
    expect(registry.websitesOf('org_1')).toHaveLength(1);
    expect(registry.keysOf('org_1')).toHaveLength(1);
  });

  it('ignores events of unknown types, even with names of inherited properties', () => {
    const unknown = (type: string) => ({ type, data: {}, ...at }) as unknown as Recorded; // from a newer version
    const registry = registryOf(events);
    expect(() => ['ThingHappened', 'toString'].forEach((type) => registry.apply(unknown(type)))).not.toThrow();
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
} as const;

const events: DecidedEvent[] = [
  { type: 'OrganizationCreated', data: { organizationId: 'org_1', name: 'Acme', ownerId: 'usr_1' } },
  { type: 'WebsiteRegistered', data: { websiteId: 'site_1', ...website } },
  { type: 'SlugReserved', data: { slug: 'Held', linkId: 'link_9', organizationId: 'org_1' } },
  {
    type: 'LinkCreated',
    data: {
      linkId: 'link_1',
      createdBy: 'usr_1',
      organizationId: 'org_1',
      slug: 'Spring',
      name: 'Spring sale',
      targetUrl: 'https://example.com/spring',
      ...plainLink,
    },
  },
  {
    type: 'ApiKeyCreated',
    data: {
      keyId: 'key_1',
      secretId: 'secret_1',
      start: 'svc_abcd',
      organizationId: 'org_1',
      name: 'Server',
      ...plainKey,
      scopes: ['read:data'],
    },
  },
];

const registryOf = (list: readonly DecidedEvent[]): Registry => {
  const registry = new Registry();
  for (const event of list) registry.apply({ ...event, ...at });
  return registry;
};
