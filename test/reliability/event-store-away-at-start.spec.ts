import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { untilAnswer } from '../journeys/product';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { Installation } from './installation';
import { clicksOn, differencesFromRebuild, logged } from './log-audit';
import { AS_BROWSER, newSlug, newTenant, untilTrackerHasCaughtUp, type Tenant } from './tenant';

jest.setTimeout(300_000);

const ONE_OF_EACH = { api: 1, tracker: 1, projector: 1 };
/** In which a client has its answer, whatever the event store does. */
const ANSWERED_WITHIN_MS = 8_000;

describe('processes that start while EventStoreDB is away', () => {
  let double: EventStoreDbDouble;
  let proxy: BreakableProxy;
  let place: Installation;
  let tenant: Tenant;
  let clicks = 0;

  beforeAll(async () => {
    double = await EventStoreDbDouble.start();
    proxy = await proxyTo('127.0.0.1', double.port);
    const url = `esdb://127.0.0.1:${proxy.port}?tls=false`;
    place = await Installation.open(ONE_OF_EACH, { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url });
    tenant = await newTenant(place.url('api'));
    await untilTrackerHasCaughtUp(place.url('tracker'));
    await untilAnswer(
      () => question(),
      ({ status }) => status === 200,
    );
    await untilAnswer(isStored, (stored) => stored);
  });
  afterAll(async () => {
    await place.close();
    await proxy.close();
    double.stop();
  });

  it.each(['refuse', 'swallow'] as const)(
    'serve what is in Postgres, refuse changes, and go on by themselves when it is back (%s)',
    async (fate) => {
      await proxy[fate]();
      await place.replaceAll();
      const pids = pidsNow();
      expect(await follow()).toBe(302);
      expect((await hit({})).status).toBe(200);
      expect((await question()).status).toBe(200);
      const slug = newSlug();
      const refused = await create(slug);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await (await fetch(`${place.url('api')}/health`)).json()).toMatchObject({ status: 'ok' });
      await proxy.mend();
      await untilAnswer(
        () => create(slug),
        ({ status }) => status === 201,
      );
      const path = `${place.url('tracker')}/${slug}`;
      await untilAnswer(
        () => fetch(path, { redirect: 'manual' }),
        ({ status }) => status === 302,
      );
      expect(pidsNow()).toEqual(pids);
      expect(place.failures()).toEqual([]);
    },
  );

  it('answer a change within eight seconds when it is frozen, and say that the outcome is unknown', async () => {
    await untilAnswer(
      () => create(newSlug()),
      ({ status }) => status === 201,
    );
    proxy.swallow();
    const slug = newSlug();
    const other = newSlug();
    const answers = await Promise.all([create(slug), create(other)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    for (const answer of answers)
      expect(((await answer.json()) as { error: string }).error).toContain('may be stored or not');
    await proxy.mend();
    for (const name of [slug, other]) {
      await untilAnswer(
        () => create(name),
        ({ status }) => status === 201,
      );
    }
    const made = double.log.all
      .filter(({ type }) => type === 'LinkCreated')
      .map(({ data }) => Buffer.from(data).toString());
    for (const name of [slug, other]) expect(made.filter((data) => data.includes(name))).toHaveLength(1);
  });

  it('lose no click, and leave tables that equal a rebuild', async () => {
    await untilAnswer(
      async () => clicksOn(tenant.linkId, await logged(place.databaseUrl)),
      (found) => found.length === clicks,
    );
    const store = { databaseUrl: place.databaseUrl, eventStoreUrl: double.url };
    await untilAnswer(
      () => differencesFromRebuild(place.databaseUrl, store),
      (differences) => differences.length === 0,
    );
  });

  const pidsNow = () => place.apps.map(({ service }) => service.pid);

  async function follow(): Promise<number> {
    const { status } = await fetch(`${place.url('tracker')}/${tenant.slug}`, {
      redirect: 'manual',
      headers: AS_BROWSER,
    });
    clicks++;
    return status;
  }

  const send = (url: string, headers: Readonly<Record<string, string>>, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    });

  const hit = (headers: Readonly<Record<string, string>>) =>
    send(`${place.url('tracker')}/batch?client_id=${tenant.websiteId}`, { ...AS_BROWSER, ...headers }, [
      { name: 'screen_view', path: '/' },
    ]);

  const question = () =>
    send(
      `${place.url('api')}/v1/query?website_id=${tenant.websiteId}`,
      { 'x-api-key': tenant.key },
      { parameters: ['top_pages'], preset: 'last_7d' },
    );

  const create = (slug: string) =>
    send(
      `${place.url('api')}/v1/links`,
      { 'x-api-key': tenant.key, 'idempotency-key': slug },
      { organizationId: tenant.organizationId, name: slug, slug, targetUrl: 'https://example.com/landing' },
    );

  /** Returns whether the read models have all that was decided. */
  async function isStored(): Promise<boolean> {
    const ready = (await (await fetch(`${place.url('api')}/health/ready`)).json()) as {
      projections: { group: string; lagMs: number; events: number }[];
    };
    const registry = ready.projections.find(({ group }) => group === 'registry');
    return registry !== undefined && registry.lagMs === 0 && registry.events > 0;
  }
});
