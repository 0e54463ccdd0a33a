import { plainHash, saltedHash } from '@ledgerline/platform/salts/visitor-hash';
import { CHROME, contextOf, KEY, NOW, WEBSITE } from '@test/tracker/intake-context-of';
import { assignVisitorIds } from './assign-visitor-ids.step';

const salts = { saltFor: (scope: string, identity: string) => Buffer.from(`${scope} ${identity}`) };
const salt = salts.saltFor('site_1', 'daily');

describe('the id of a visitor', () => {
  const named = (item: object, given: Parameters<typeof contextOf>[1] = {}) => {
    const context = contextOf({ name: 'a', ...item }, { website: WEBSITE, ...given });
    assignVisitorIds(context, { salts });
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
      saltedHash(salts.saltFor('site_1', 'stable'), 'anonymous', 'a'),
    );
    expect(named({ anonymousId: 'a' }, { website: null, caller: KEY }).visitorId).toBe(
      saltedHash(salts.saltFor('org_1', 'daily'), 'anonymous', 'a'),
    );
  });

  it('is another for each visitor of a batch', () => {
    const items = ['a', 'b', 'a'].map((anonymousId) => ({ name: 'x', anonymousId, sessionId: anonymousId }));
    const context = contextOf(items, { website: WEBSITE });
    assignVisitorIds(context, { salts });
    expect(context.items.map(({ visitorId }) => visitorId)).toEqual(
      ['a', 'b', 'a'].map((id) => saltedHash(salt, 'anonymous', id)),
    );
  });

  it('takes the salt of the event’s own time', () => {
    const times: number[] = [];
    const context = contextOf({ name: 'a', timestamp: NOW - 5 }, { website: WEBSITE });
    assignVisitorIds(context, { salts: { saltFor: (_, __, at) => (times.push(at), salt) } });
    expect(times).toEqual([NOW - 5]);
  });
});
