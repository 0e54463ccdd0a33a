import { deliveryOf, KEY, WEBSITE } from '../../../../test/tracker/delivery-of';
import { HitsPerVisitor } from '../visitors/hits-per-visitor';
import { boundVisitor } from './bound-visitor.step';

describe('the bound on a visitor', () => {
  const hitsPerVisitor = () => new HitsPerVisitor(2, () => undefined);
  const delivery = (...names: readonly (readonly [visitorId: string | null, sessionId: string | null])[]) => {
    const made = deliveryOf(
      names.map(() => ({ name: 'a' })),
      { website: WEBSITE, caller: KEY },
    );
    made.items.forEach((item, at) => ([item.visitorId, item.sessionId] = names[at] ?? [null, null]));
    return made;
  };
  const bounded = (given: ReturnType<typeof delivery>) => {
    boundVisitor(given, { hitsPerVisitor: hitsPerVisitor() });
    return given.items.map(({ visitorId, sessionId }) => [visitorId, sessionId]);
  };

  it('keeps every hit and takes visitor and session from those beyond it', () =>
    expect(bounded(delivery(['v', 's'], ['v', 't'], ['v', 's'], ['w', 's']))).toEqual([
      ['v', 's'],
      ['v', 't'],
      [null, null],
      ['w', 's'],
    ]));

  it('is one of the session where there is no visitor', () =>
    expect(bounded(delivery([null, 's'], [null, 's'], [null, 's'], [null, null]))).toEqual([
      [null, 's'],
      [null, 's'],
      [null, null],
      [null, null],
    ]));

  it('does not count bots', () => {
    const bots = delivery(['v', 's'], ['v', 's'], ['v', 's']);
    bots.bot = { name: 'Bot', rule: 'isbot', ruleVersion: '1' };
    expect(bounded(bots)).toEqual(Array(3).fill(['v', 's']));
  });
});
