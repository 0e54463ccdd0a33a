import type { Limits } from '@ledgerline/platform/config/settings';
import { deliveryOf } from '../../../../test/tracker/delivery-of';
import { RateLimits } from '../http/rate-limits';
import { newDelivery, type IntakeRequest } from './delivery';
import { takeIn } from './intake';
import type { Tools } from './tools';

const limits = { eventsPerKeyPerMinute: 5, requestsPerWebsiteAndIpPerMinute: 2, redirectsPerIpPerMinute: 1 } as Limits;

describe('what is refused', () => {
  it.each([
    ['with a wrong key', { secret: 'svc_wrong' }, 'AUTH_REQUIRED'],
    ['for an unknown website', { websiteId: 'site_0' }, 'VALIDATION_ERROR'],
  ])('%s is looked up only so often for an address', async (_, request, code) => {
    const { tools, lookUps } = nothingKnown();
    const send = () => takeIn(requestOf(request), tools);
    await expect(send()).rejects.toMatchObject({ code });
    await expect(send()).rejects.toMatchObject({ code });
    await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(lookUps).toHaveLength(2);
  });

  it('says what is left', async () => {
    const delivery = requestOf({ secret: 'svc_wrong' });
    await takeIn(delivery, nothingKnown().tools).catch(() => undefined);
    expect(delivery.rateLimit).toMatchObject({ limit: 2, remaining: 1 });
  });
});

function nothingKnown() {
  const lookUps: string[] = [];
  const lookUp = (name: string): Promise<undefined> => {
    lookUps.push(name);
    return Promise.resolve(undefined);
  };
  const registry = { caller: lookUp, website: lookUp };
  const tools = { registry, limits: new RateLimits(limits) } as unknown as Tools; // nothing comes further than these
  return { tools, lookUps };
}

function requestOf(request: Partial<IntakeRequest>) {
  const { request: asked } = deliveryOf({ name: 'a' }, request);
  return newDelivery(asked, '81.2.69.142', null);
}
