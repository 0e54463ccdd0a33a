import { type SaltPeriod, plainHash, saltedHash } from '@ledgerline/platform/salts/visitor-salts';
import { contextOf, KEY, CHROME, WEBSITE } from '@test/tracker/intake-context-of';
import { UNKNOWN_PLACE } from '../visitors/geo-database';
import { UNKNOWN_AGENT } from '../visitors/user-agent';
import { VisitPeriods } from '../visitors/visit-periods';
import { describeVisitor, dropAddress, assignVisitorIds } from './identify-visitor.step';

const london = { country: 'GB', region: 'England', city: 'London' };
const geo = { locate: (address: string) => (address === '81.2.69.142' ? london : UNKNOWN_PLACE) };

describe('the attributes of a visitor', () => {
  it('are read from the address and the user agent', () => {
    const context = contextOf({ name: 'a' });
    describeVisitor(context, { geo });
    expect(context.place).toBe(london);
    expect(context.agent).toEqual({ browser: 'Chrome', browserVersion: '126.0.0.0', os: 'Linux', device: 'desktop' });
  });

  it('are unknown for a server, but read from a browser’s user agent that a server relays', () => {
    const server = Object.assign(contextOf({ name: 'a' }, { caller: KEY }), { userAgent: 'node' });
    const relay = contextOf({ name: 'a' }, { caller: KEY });
    for (const context of [server, relay]) describeVisitor(context, { geo });
    expect([server.place, server.agent]).toEqual([UNKNOWN_PLACE, UNKNOWN_AGENT]);
    expect([relay.place, relay.agent.browser]).toEqual([london, 'Chrome']);
  });

  it('are all that is left when address and user agent are dropped', () => {
    const context = contextOf({ name: 'a' });
    dropAddress(context);
    expect([context.address, context.userAgent]).toEqual([null, null]);
  });
});

const salts = { saltFor: (scope: string, { name }: Pick<SaltPeriod, 'name'>) => Buffer.from(`${scope} ${name}`) };
const saltOf = (name: string, scope = 'site_1') => salts.saltFor(scope, { name });
const salt = saltOf('2026-03-10');

describe('the id of a visitor', () => {
  const named = (item: object, given: Parameters<typeof contextOf>[1] = {}) => {
    const context = contextOf({ name: 'a', ...item }, { website: WEBSITE, ...given });
    assignVisitorIds(context, { salts, visitPeriods: new VisitPeriods() });
    const { visitorId, sessionId, profileHash } = context.items[0]!;
    return { visitorId, sessionId, profileHash };
  };

  it('is made of the anonymous id, else the profile, else the browser', () => {
    expect(named({ anonymousId: 'a', profileId: 'p' }).visitorId).toBe(saltedHash(salt, 'anonymous', 'a'));
    expect(named({ profileId: 'p' }).visitorId).toBe(saltedHash(salt, 'profile', 'p'));
    expect(named({}).visitorId).toBe(saltedHash(salt, 'browser', `81.2.69.142\n${CHROME}`));
  });

  it('comes with a hash of the profile that is named beside it', () => {
    expect(named({ anonymousId: 'a', profileId: 'p' }).profileHash).toBe(saltedHash(salt, 'profile', 'p'));
    expect(named({ anonymousId: 'a' }).profileHash).toBeNull();
  });

  it('does not exist for a server that sends no ids', () =>
    expect(named({ sessionId: 's' }, { caller: KEY })).toEqual({
      visitorId: null,
      sessionId: saltedHash(salt, 'session', 's'),
      profileHash: null,
    }));

  it('can be recognised only with a key', () => {
    const item = { anonymousId: 'a', sessionId: 's', anonymizeVisitorIds: false };
    expect(named(item, { caller: KEY })).toEqual({
      visitorId: plainHash('anonymous', 'a'),
      sessionId: plainHash('session', 's'),
      profileHash: null,
    });
    expect(named(item).visitorId).toBe(saltedHash(salt, 'anonymous', 'a'));
  });

  it('is salted by the website’s own identity, or by the organization', () => {
    const stable = { ...WEBSITE, visitorIdentity: 'stable' as const };
    expect(named({ anonymousId: 'a' }, { website: stable }).visitorId).toBe(
      saltedHash(saltOf('stable'), 'anonymous', 'a'),
    );
    expect(named({ anonymousId: 'a' }, { website: null, caller: KEY }).visitorId).toBe(
      saltedHash(saltOf('2026-03-10', 'org_1'), 'anonymous', 'a'),
    );
  });

  it('is another for each visitor of a batch', () => {
    const items = ['a', 'b', 'a'].map((anonymousId) => ({ name: 'x', anonymousId, sessionId: anonymousId }));
    const context = contextOf(items, { website: WEBSITE });
    assignVisitorIds(context, { salts, visitPeriods: new VisitPeriods() });
    expect(context.items.map(({ visitorId }) => visitorId)).toEqual(
      ['a', 'b', 'a'].map((id) => saltedHash(salt, 'anonymous', id)),
    );
  });

  it.each([
    ['America/Los_Angeles', 'daily', '2026-11-25T23:50:00Z', '2026-11-25'],
    ['America/Los_Angeles', 'daily', '2026-11-26T00:10:00Z', '2026-11-25'],
    ['America/Los_Angeles', 'daily', '2026-11-26T07:59:59Z', '2026-11-25'],
    ['America/Los_Angeles', 'daily', '2026-11-26T08:00:00Z', '2026-11-26'],
    ['America/Los_Angeles', 'monthly', '2026-12-01T07:59:59Z', '2026-11'],
    ['Asia/Kolkata', 'daily', '2026-11-25T18:29:59Z', '2026-11-25'],
    ['Asia/Kolkata', 'daily', '2026-11-25T18:30:00Z', '2026-11-26'],
    ['Pacific/Kiritimati', 'monthly', '2026-11-30T10:00:00Z', '2026-12'],
    ['America/Los_Angeles', 'daily', '2026-03-09T06:59:59Z', '2026-03-08'], // a day of 23 hours
    ['America/Los_Angeles', 'daily', '2026-03-09T07:00:00Z', '2026-03-09'],
    ['America/Havana', 'daily', '2026-11-01T04:30:00Z', '2026-11-01'], // its first hour comes twice
    ['America/Havana', 'daily', '2026-11-02T04:59:59Z', '2026-11-01'],
  ] as const)('is that of the day or month of %s (%s) at %s: %s', (timezone, visitorIdentity, time, period) => {
    const receivedAt = Date.parse(time);
    const website = { ...WEBSITE, timezone, visitorIdentity };
    expect(named({ anonymousId: 'a' }, { website, receivedAt }).visitorId).toBe(
      saltedHash(saltOf(period), 'anonymous', 'a'),
    );
  });

  it('is that of the time of arrival once the salt of an event is destroyed', () => {
    const late = (timestamp: string) => named({ anonymousId: 'a', timestamp }).visitorId;
    expect(late('2026-03-08T12:00:00Z')).toBe(saltedHash(saltOf('2026-03-08'), 'anonymous', 'a'));
    expect(late('2026-03-07T12:00:00Z')).toBe(saltedHash(salt, 'anonymous', 'a'));
  });
});
