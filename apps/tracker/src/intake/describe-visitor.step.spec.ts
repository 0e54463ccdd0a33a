import { contextOf, KEY } from '@test/tracker/intake-context-of';
import { UNKNOWN_AGENT, UNKNOWN_PLACE } from '../visitors/visitor-attributes';
import { describeVisitor, dropAddress, judgeBots } from './describe-visitor.step';

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
