import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { ApiKey } from '@ledgerline/contracts/records';
import { reachOf, whyNotSent } from './alert-rights';

const NOW = new Date('2026-11-24T10:00:00Z');
const SUBJECT = { organizationId: 'org_1', websiteId: 'site_1', linkId: null, goalId: null };

describe('how far the author of an alert may send', () => {
  it.each([
    ['owner', 'all'],
    ['admin', 'all'],
    ['member', 'opened'],
    [undefined, 'none'],
  ] as const)('is for a person who is %s: %s', (role, reach) => {
    const records = { member: () => role && { role }, key: () => undefined };
    expect(reachOf({ type: 'user', id: 'usr_1' }, SUBJECT, records, NOW)).toBe(reach);
  });

  it.each<readonly [string, Partial<ApiKey>, 'opened' | 'none']>([
    ['with both scopes', {}, 'opened'],
    ['with both on the website', { resources: { 'website:site_1': [] } }, 'opened'],
    ['with both on another website', { resources: { 'website:site_2': [] } }, 'none'],
    ['that may not read', { scopes: ['write:data'] }, 'none'],
    ['that may not write', { scopes: ['read:data'] }, 'none'],
    ['that is disabled', { enabled: false }, 'none'],
    ['that is revoked', { revokedAt: NOW }, 'none'],
    ['that has expired', { expiresAt: NOW.toISOString() }, 'none'],
    ['of another organization', { organizationId: 'org_2' }, 'none'],
  ])('is for a key %s: %j', (_, more, reach) => {
    const key = { organizationId: 'org_1', enabled: true, revokedAt: null, expiresAt: null, resources: null };
    const found = { ...key, scopes: ['read:data', 'write:data'], ...more } as ApiKey;
    const records = { member: () => undefined, key: () => found };
    expect(reachOf({ type: 'api_key', id: 'key_1' }, SUBJECT, records, NOW)).toBe(reach);
    expect(reachOf({ type: 'api_key', id: 'key_1' }, SUBJECT, { ...records, key: () => undefined }, NOW)).toBe('none');
  });
});

describe('a destination of an alert', () => {
  it.each<readonly [Partial<DestinationDetails>, 'all' | 'opened' | 'none', ReturnType<typeof whyNotSent>]>([
    [{}, 'all', undefined],
    [{}, 'opened', 'closed'],
    [{ openToMembers: true }, 'opened', undefined],
    [{ openToMembers: true }, 'none', 'closed'],
    [{ websiteIds: ['site_1'] }, 'all', undefined],
    [{ websiteIds: ['site_2'] }, 'all', 'about'],
    [{ linkIds: [], goalIds: [] }, 'all', undefined],
    [{ kind: 'audit' }, 'all', 'audit'],
    [{ organizationId: 'org_2' }, 'all', 'unknown'],
  ])('that is %j is for who reaches %s: %s', (more, reach, why) => {
    const details = { organizationId: 'org_1', kind: 'webhook', openToMembers: false };
    const every = { websiteIds: null, linkIds: null, goalIds: null };
    expect(whyNotSent({ ...details, ...every, ...more } as DestinationDetails, SUBJECT, reach)).toBe(why);
    expect(whyNotSent(undefined, SUBJECT, reach)).toBe('unknown');
  });

  it('has to be about the link and the goal, too', () => {
    const of = { organizationId: 'org_1', kind: 'webhook', openToMembers: true, websiteIds: null } as const;
    // what else a destination has decides nothing here
    const narrow = { ...of, linkIds: ['link_1'], goalIds: ['goal_1'] } as unknown as DestinationDetails;
    expect(whyNotSent(narrow, { ...SUBJECT, goalId: 'goal_1' }, 'all')).toBeUndefined();
    expect(whyNotSent(narrow, { ...SUBJECT, goalId: 'goal_2' }, 'all')).toBe('about');
    expect(whyNotSent(narrow, { ...SUBJECT, websiteId: null, linkId: 'link_2' }, 'all')).toBe('about');
  });
});
