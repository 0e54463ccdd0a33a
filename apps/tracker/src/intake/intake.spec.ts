import type { Limits } from '@ledgerline/platform/config/settings';
import { contextOf } from '@test/tracker/intake-context-of';
import { RateLimits } from '../http/rate-limits';
import { runIntake } from './intake';
import { newContext, type IntakeDeps, type IntakeRequest } from './intake-context';

const limits = { eventsPerKeyPerMinute: 5, requestsPerWebsiteAndIpPerMinute: 2, redirectsPerIpPerMinute: 1 } as Limits;

describe('what is refused', () => {
  it.each([
    ['with a wrong key', { secret: 'svc_wrong' }, 'AUTH_REQUIRED'],
    ['for an unknown website', { websiteId: 'site_0' }, 'VALIDATION_ERROR'],
  ])('%s is looked up only so often for an address', async (_, request, code) => {
    const { deps, lookUps } = nothingKnown();
    const send = () => runIntake(requestOf(request), deps);
    await expect(send()).rejects.toMatchObject({ code });
    await expect(send()).rejects.toMatchObject({ code });
    await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(lookUps).toHaveLength(2);
  });

  it('has the rest of the budget', async () => {
    const context = requestOf({ secret: 'svc_wrong' });
    await runIntake(context, nothingKnown().deps).catch(() => undefined);
    expect(context.rateLimit).toMatchObject({ limit: 2, remaining: 1 });
  });
});

function nothingKnown() {
  const lookUps: string[] = [];
  const lookUp = (name: string): Promise<undefined> => {
    lookUps.push(name);
    return Promise.resolve(undefined);
  };
  const registry = { caller: lookUp, website: lookUp };
  const deps = { registry, limits: new RateLimits(limits) } as unknown as IntakeDeps; // nothing comes further than these
  return { deps, lookUps };
}

function requestOf(request: Partial<IntakeRequest>) {
  const { request: asked } = contextOf({ name: 'a' }, request);
  return newContext(asked, '81.2.69.142', null);
}
