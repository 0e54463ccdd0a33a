import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import type { Limits } from '@ledgerline/platform/config/settings';
import { contextOf, KEY, WEBSITE } from '@test/tracker/intake-context-of';
import { countRefused, limitRate, limitRefused } from '../intake/steps';
import { RateLimits } from './rate-limits';

const limits = {
  eventsPerKeyPerMinute: 5,
  requestsPerWebsiteAndIpPerMinute: 2,
  redirectsPerIpPerMinute: 1,
} as Limits;

describe('rate limits', () => {
  it('count down, with the time of their reset, and are reset', () => {
    const clock = { now: 1_000 };
    const rates = new RateLimits(limits, () => clock.now);
    expect(rates.take('website', 'a', 1)).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, exceeded: false });
    clock.now += 30_000;
    expect(rates.take('website', 'a', 1)).toEqual({ limit: 2, remaining: 0, resetSeconds: 30, exceeded: false });
    expect(rates.take('website', 'a', 1)).toEqual({ limit: 2, remaining: 0, resetSeconds: 30, exceeded: true });
    expect(rates.take('website', 'b', 1).exceeded).toBe(false);
    expect(rates.take('slug', 'a', 1).exceeded).toBe(false);
    clock.now += 30_000;
    expect(rates.take('website', 'a', 1).remaining).toBe(1);
  });

  it('count the events of a key, and the requests of a browser by its address', () => {
    const rates = new RateLimits(limits);
    const server = () => {
      limitRate(contextOf([{ name: 'a' }, { name: 'b' }], { website: WEBSITE, caller: KEY }), { limits: rates });
    };
    const browser = () => {
      limitRate(contextOf([{ name: 'a' }, { name: 'b' }], { website: WEBSITE }), { limits: rates });
    };
    server();
    server();
    expect(server).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
    browser();
    browser();
    expect(browser).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
  });

  it('count every website a browser’s request names, and addresses of IPv6 by their network', () => {
    const rates = new RateLimits(limits);
    const send = (address: string, ...ids: string[]) => {
      const context = contextOf(ids.map((name) => ({ name })));
      context.items.forEach((item, n) => (item.website = { ...WEBSITE, id: ids[n] ?? '' }));
      limitRate(Object.assign(context, { address }), { limits: rates });
    };
    send('2001:db8:1:2::1', 'site_1', 'site_2');
    send('2001:db8:1:2::2', 'site_3', 'site_2');
    expect(() => send('2001:db8:1:2::3', 'site_4', 'site_2')).toThrow(LIMITED);
    expect(() => send('2001:db8:1:3::3', 'site_4', 'site_2')).not.toThrow();
  });

  it('count by its address what is refused, and then refuse it unseen', () => {
    const rates = new RateLimits(limits);
    const guess = () => {
      const context = contextOf({ name: 'a' }, { secret: 'svc_wrong' });
      limitRefused(context, { limits: rates });
      countRefused(context, new Problem('AUTH_REQUIRED', 'Authentication required'), { limits: rates });
      return context.rateLimit?.remaining;
    };
    expect([guess(), guess()]).toEqual([1, 0]);
    expect(guess).toThrow(LIMITED);
  });

  it('count the requests of a key with its own limit in its own window', () => {
    let now = 0;
    const rates = new RateLimits(limits, () => now);
    const own = { max: 2, windowSeconds: 3_600 };
    const caller: KeyCaller = {
      kind: 'key',
      id: 'key_1',
      organizationId: 'org_1',
      name: 'K',
      scopes: [],
      resources: null,
      rateLimit: own,
    };
    const send = () => {
      const context = Object.assign(contextOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }]), { caller });
      limitRate(context, { limits: rates });
      return context.rateLimit;
    };
    expect(send()).toEqual({ limit: 2, remaining: 1, resetSeconds: 3_600, exceeded: false });
    now = 61_000;
    expect(send()).toMatchObject({ remaining: 0, resetSeconds: 3_539 });
    expect(send).toThrow(LIMITED);
    now = 3_600_000;
    expect(send()).toMatchObject({ remaining: 1 });
  });

  it('forget only who was quiet longest when they are too many', () => {
    const rates = new RateLimits(limits, () => 0, 2);
    const left = (who: string) => rates.take('website', who, 1).remaining;
    expect([left('a'), left('b'), left('a'), left('c')]).toEqual([1, 1, 0, 1]);
    expect(rates.take('website', 'a', 1).exceeded).toBe(true);
    expect(left('b')).toBe(1);
  });
});

const LIMITED = expect.objectContaining({ code: 'RATE_LIMITED' }) as Error;
