import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { contextOf, KEY, WEBSITE } from '@test/tracker/intake-context-of';
import { HitsPerVisitor } from '../visitors/visit-periods';
import { readIdentification } from './payloads';
import { checkOrigin, identifyCaller, identifyWebsite, judgeBots, limitVisitorHits } from './steps';

const reader: KeyCaller = { ...KEY, scopes: ['read:data'] };

describe('the caller of a request', () => {
  it('is null without a key, and nothing is looked up', () =>
    expect(identifyCaller(contextOf({ name: 'a' }), knowing(KEY))).toBeUndefined());

  it('is the key', async () => {
    const context = contextOf({ name: 'a' }, { secret: 'svc_a' });
    await identifyCaller(context, knowing(KEY));
    expect(context.caller).toBe(KEY);
  });

  it.each([
    [undefined, 'AUTH_REQUIRED'],
    [reader, 'FORBIDDEN'],
    [{ ...KEY, resources: {} }, 'FORBIDDEN'],
  ])('is refused otherwise', (caller, code) =>
    expect(identifyCaller(contextOf({ name: 'a' }, { secret: 'svc_a' }), knowing(caller))).rejects.toMatchObject({
      code,
    }),
  );
});

const knowing = (caller: KeyCaller | undefined) => ({
  registry: { caller: () => Promise.resolve(caller), website: () => undefined },
});

const foreign = { ...WEBSITE, id: 'site_2', organizationId: 'org_2' };
const registry = {
  caller: () => Promise.resolve(undefined),
  website: (id: string) =>
    id === 'site_new' ? Promise.resolve(WEBSITE) : [WEBSITE, foreign].find((each) => each.id === id),
};

describe('the website of an item', () => {
  it('is named by the item, else by the request', async () => {
    const context = contextOf(
      [{ name: 'a' }, { name: 'b', websiteId: 'site_2' }, { name: 'c', websiteId: 'site_new' }],
      {
        websiteId: 'site_1',
      },
    );
    await identifyWebsite(context, { registry });
    expect(context.items.map(({ website, organizationId }) => [website?.id, organizationId])).toEqual([
      ['site_1', 'org_1'],
      ['site_2', 'org_2'],
      ['site_1', 'org_1'],
    ]);
  });

  it('is the organization of the key when no website is named, for custom events only', () => {
    const context = contextOf([{ name: 'a' }, { name: 'screen_view', path: '/' }], { caller: KEY });
    void identifyWebsite(context, { registry });
    expect(context.items.map(({ website, organizationId }) => [website, organizationId])).toEqual([[null, 'org_1']]);
    expect(context.refused).toMatchObject([{ index: 1, code: 'VALIDATION_ERROR' }]);
  });

  it('must be within the permissions of the key', () => {
    const context = contextOf(
      [
        { name: 'a', websiteId: 'site_2' },
        { name: 'b', websiteId: 'site_0' },
      ],
      { caller: KEY },
    );
    void identifyWebsite(context, { registry });
    expect(context.refused.map(({ code }) => code)).toEqual(['FORBIDDEN', 'NOT_FOUND']);
  });

  it('refuses the request when it is nobody’s or names an unknown website', () => {
    const code = (request: object) => {
      try {
        void identifyWebsite(contextOf({ name: 'a' }, request), { registry });
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'taken';
    };
    expect(code({})).toBe('AUTH_REQUIRED');
    expect(code({ websiteId: 'site_0' })).toBe('VALIDATION_ERROR');
    expect(code({ websiteId: 'site_0', caller: KEY })).toBe('NOT_FOUND');
  });
});

describe('the origin of a browser’s request', () => {
  const taken = (origin: string | null, caller: typeof KEY | null = null): boolean => {
    const context = contextOf({ name: 'a' }, { website: WEBSITE, origin, caller });
    checkOrigin(context);
    return context.items.length === 1;
  };

  it.each([
    null,
    'https://example.com',
    'http://example.com:8080',
    'https://www.example.com',
    'https://partner.org',
    'https://example.com.',
    'https://partner.org.:8443',
  ])('may be %s', (origin) => expect(taken(origin)).toBe(true));

  it.each([
    'null',
    'https://.',
    'https://example.org',
    'https://example.com.evil.org',
    'https://notexample.com',
    'https://sub.partner.org',
  ])('may not be %s', (origin) => expect(taken(origin)).toBe(false));

  it('does not matter with a key', () => expect(taken('https://evil.org', KEY)).toBe(true));
});

describe('the daily limit of hits per visitor', () => {
  const hitsPerVisitor = () => new HitsPerVisitor(2, () => undefined);
  const context = (...names: readonly (readonly [visitorId: string | null, sessionId: string | null])[]) => {
    const made = contextOf(
      names.map(() => ({ name: 'a' })),
      { website: WEBSITE, caller: KEY },
    );
    made.items.forEach((item, at) => ([item.visitorId, item.sessionId] = names[at] ?? [null, null]));
    return made;
  };
  const bounded = (given: ReturnType<typeof context>) => {
    limitVisitorHits(given, { hitsPerVisitor: hitsPerVisitor() });
    return given.items.map(({ visitorId, sessionId }) => [visitorId, sessionId]);
  };

  it('keeps every hit and takes visitor and session from those beyond it', () =>
    expect(bounded(context(['v', 's'], ['v', 't'], ['v', 's'], ['w', 's']))).toEqual([
      ['v', 's'],
      ['v', 't'],
      [null, null],
      ['w', 's'],
    ]));

  it('is one of the session where there is no visitor', () =>
    expect(bounded(context([null, 's'], [null, 's'], [null, 's'], [null, null]))).toEqual([
      [null, 's'],
      [null, 's'],
      [null, null],
      [null, null],
    ]));

  it('leaves identifications their visitor, and does not count them', () => {
    const route = { read: readIdentification, maxItems: 4, unidentified: 'AUTH_REQUIRED' } as const;
    const given = contextOf(Array(4).fill({ profileId: 'p' }), { website: WEBSITE, route });
    for (const item of given.items) item.visitorId = 'v';
    expect(bounded(given)).toEqual(Array(4).fill(['v', null]));
  });

  it('does not count bots', () => {
    const bots = context(['v', 's'], ['v', 's'], ['v', 's']);
    bots.bot = { name: 'Bot', rule: 'isbot', ruleVersion: '1' };
    expect(bounded(bots)).toEqual(Array(3).fill(['v', 's']));
  });
});

describe('judging bots', () => {
  const verdict = (userAgent: string | null, caller: typeof KEY | null = null) => {
    const context = contextOf({ name: 'a' }, { caller });
    if (userAgent !== 'Chrome') context.userAgent = userAgent;
    judgeBots(context);
    return context.bot;
  };

  it('takes browsers for people', () => expect(verdict('Chrome')).toBeNull());

  it('names the bot, the rule and its version', () =>
    expect(verdict('Mozilla/5.0 (compatible; bingbot/2.0)')).toEqual({
      name: 'bingbot',
      rule: 'isbot',
      ruleVersion: expect.stringMatching(/^\d+\.\d+/) as string,
    }));

  it('takes an empty user agent for a bot', () => expect(verdict(null)?.rule).toBe('no-user-agent'));

  it('never judges what comes with a key', () => expect(verdict('node', KEY)).toBeNull());
});
