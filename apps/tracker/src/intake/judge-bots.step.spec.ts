import { deliveryOf, KEY } from '../../../../test/tracker/delivery-of';
import { judgeBots } from './judge-bots.step';

describe('judging bots', () => {
  const verdict = (userAgent: string | null, caller: typeof KEY | null = null) => {
    const delivery = deliveryOf({ name: 'a' }, { caller });
    if (userAgent !== 'Chrome') delivery.userAgent = userAgent;
    judgeBots(delivery);
    return delivery.bot;
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
