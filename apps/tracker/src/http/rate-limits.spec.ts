import type { Limits } from '@ledgerline/platform/config/settings';
import { deliveryOf, KEY, WEBSITE } from '../../../../test/tracker/delivery-of';
import { limitRate } from '../intake/limit-rate.step';
import { RateLimits } from './rate-limits';

const limits = {
  eventsPerKeyPerMinute: 5,
  requestsPerWebsiteAndIpPerMinute: 2,
  redirectsPerIpPerMinute: 1,
} as Limits;

describe('rate limits', () => {
  it('count down, say when they begin anew, and begin anew', () => {
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
      limitRate(deliveryOf([{ name: 'a' }, { name: 'b' }], { website: WEBSITE, caller: KEY }), { limits: rates });
    };
    const browser = () => {
      limitRate(deliveryOf([{ name: 'a' }, { name: 'b' }], { website: WEBSITE }), { limits: rates });
    };
    server();
    server();
    expect(server).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
    browser();
    browser();
    expect(browser).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
  });
});
