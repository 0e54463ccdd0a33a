import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import { plainKey } from '../api-keys/plain-key';
import { plainLink } from '../links/plain-link';
import { Directory } from './directory';

describe('the directory', () => {
  it('knows organizations by id and by owner', () => {
    const directory = directoryOf(events);
    expect(directory.organization('org_1')).toEqual({ id: 'org_1', name: 'Acme', ownerId: 'usr_1', ...recorded });
    expect(directory.organizationsOwnedBy('usr_1').map(({ id }) => id)).toEqual(['org_1']);
    expect(directory.organizationsOwnedBy('usr_2')).toEqual([]);
  });

  it('knows websites by id and by organization', () => {
    const directory = directoryOf(events);
    expect(directory.website('site_1')).toEqual({ id: 'site_1', ...website, ...recorded });
    expect(directory.websitesOf('org_1').map(({ id }) => id)).toEqual(['site_1']);
    expect(directory.websitesOf('org_2')).toEqual([]);
  });

  it('knows links by id and by slug, whose case counts', () => {
    const directory = directoryOf(events);
    expect(directory.link('link_1')).toMatchObject({ id: 'link_1', slug: 'Spring', createdBy: 'usr_1' });
    expect(directory.linkBySlug('Spring')?.id).toBe('link_1');
    expect(directory.linkBySlug('spring')).toBeUndefined();
  });

  it('does not take a reservation for a link', () => expect(directoryOf(events).linkBySlug('Held')).toBeUndefined());

  it('knows keys with the id of their live secret', () => {
    const directory = directoryOf(events);
    expect(directory.key('key_1')).toMatchObject({ id: 'key_1', secretId: 'secret_1', start: 'svc_abcd' });
    expect(directory.keysOf('org_1').map(({ id }) => id)).toEqual(['key_1']);
  });

  it('is the same when events come twice', () => {
    const directory = directoryOf([...events, ...events]);
    expect(directory.websitesOf('org_1')).toHaveLength(1);
    expect(directory.keysOf('org_1')).toHaveLength(1);
  });

  it('ignores events it does not know, even with names of inherited properties', () => {
    const unknown = (type: string) => ({ type, data: {}, ...at }) as unknown as Recorded; // from a newer version
    const directory = directoryOf(events);
    expect(() => ['ThingHappened', 'toString'].forEach((type) => directory.apply(unknown(type)))).not.toThrow();
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

const directoryOf = (list: readonly DecidedEvent[]): Directory => {
  const directory = new Directory();
  for (const event of list) directory.apply({ ...event, ...at });
  return directory;
};
