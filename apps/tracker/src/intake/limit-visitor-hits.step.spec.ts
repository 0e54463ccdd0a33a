import { contextOf, KEY, WEBSITE } from '@test/tracker/intake-context-of';
import { HitsPerVisitor } from '../visitors/hits-per-visitor';
import { readIdentification } from './payloads/identification.payload';
import { limitVisitorHits } from './limit-visitor-hits.step';

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
