import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ownerWithWebsite } from '../api/people';
import { startTestApi } from '../api/test-api';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { startTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';

/** Far more than the checks of the stores that begin and end meanwhile, each with a line. */
const REQUESTS = 60;

interface Host {
  readonly app: NestFastifyApplication;
  readonly lines: readonly string[];
  /** A request that needs a store. */
  readonly request: Readonly<{ method: 'POST'; url: string; headers: Record<string, string>; payload: object }>;
  stop(): Promise<void>;
}

describe.each([
  ['api', startApi],
  ['tracker', startTrackerWithSite],
] as const)('the log of the %s in an outage of Postgres', (_, start) => {
  let database: TestDatabase;
  let proxy: BreakableProxy;
  let host: Host;

  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    proxy = await proxyTo(url.hostname, Number(url.port));
    url.port = String(proxy.port);
    host = await start(url.href);
  });
  afterAll(async () => {
    await host.stop();
    await proxy.close();
    await database.drop();
  });

  it('has a line when it begins and one when it ends, and counts the requests that were refused', async () => {
    const status = async () => (await host.app.inject(host.request)).statusCode;
    expect(await status()).toBeLessThan(300);
    const before = host.lines.length;

    await proxy.refuse();
    const statuses: number[] = [];
    statuses.push(...(await Promise.all(Array.from({ length: REQUESTS }, status))));
    expect(new Set(statuses)).toEqual(new Set([503]));
    await proxy.mend();
    await waitUntil(() => host.lines.some((line) => line.includes('the stores are available again')));

    const lines = host.lines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
    const about = (text: string) => lines.filter(({ msg }) => String(msg).includes(text));
    expect(about('a store is unavailable')).toHaveLength(1);
    expect(about('the stores are available again')).toEqual([
      expect.objectContaining({ level: 'info', failures: REQUESTS, seconds: expect.any(Number) as number }),
    ]);
    expect(about('cannot be read; trying again').length).toBeLessThanOrEqual(1);
    expect(lines.length).toBeLessThan(REQUESTS);
    expect(await status()).toBeLessThan(300);
  });
});

async function startApi(url: string): Promise<Host> {
  const api = await startTestApi({ DATABASE_URL: url, LOG_LEVEL: 'info' });
  const { headers } = await ownerWithWebsite(api);
  const request = { method: 'POST', url: '/v1/organizations', headers, payload: { name: 'Acme' } } as const;
  return { app: api.app, lines: api.log, request, stop: () => api.close() };
}

async function startTrackerWithSite(url: string): Promise<Host> {
  const tracker = await startTracker({ DATABASE_URL: url, LOG_LEVEL: 'info' });
  await tracker.registerWebsite('site_1');
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' };
  const payload = { eventId: 'e', name: 'screen_view', path: '/', anonymousId: 'a', sessionId: 's' };
  const request = { method: 'POST', url: '/?client_id=site_1', headers, payload } as const;
  return { app: tracker.app, lines: tracker.lines, request, stop: () => tracker.stop() };
}
