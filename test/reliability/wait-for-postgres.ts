import { untilAnswer } from '../journeys/product';
import type { Installation } from './installation';
import { clicksOn, expectCounted, logged } from './log-audit';
import { clicksOnDisk, untilSpoolIsEmpty } from './spooled-clicks';
import { AS_BROWSER, newTenant, type Tenant } from './tenant';

/** `RELIABILITY_OUTAGE_MS=60000 npx jest test/reliability/one-of-every` for the long run. */
export const DOWN_MS = Number(process.env['RELIABILITY_OUTAGE_MS'] ?? 3_000);

/** Tests what apps do without Postgres, until it is back. */
export function waitForPostgres(opened: () => Installation): void {
  let place: Installation;
  let tenant: Tenant;

  beforeAll(async () => {
    place = opened();
    tenant = await newTenant(place.url('api'));
  });

  it('writes are refused, redirects go on, and everything resumes by itself', async () => {
    const pids = place.apps.map(({ service }) => service.pid);
    expect(await view('before')).toMatchObject({ status: 200 });
    let clicks = await followed();
    await place.stopPostgres();
    const since = Date.now();

    const refused: string[] = [];
    while (Date.now() - since < DOWN_MS || refused.length < 2) {
      const id = `refused-${refused.length}`;
      expect(await view(id)).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) as string });
      refused.push(id);
      clicks += await followed();
      expect(await ready()).toBe(503);
      expect((await fetch(`${place.url('api')}/health`)).status).toBe(200);
      expect(await questionStatus()).toBe(503);
    }

    await place.startPostgres();
    await untilAnswer(ready, (status) => status === 200);
    const [again] = refused;
    await untilAnswer(
      () => view(again!),
      ({ status }) => status === 200,
    );
    clicks += await followed();
    const log = await untilAnswer(
      () => logged(place.databaseUrl),
      (all) => clicksOn(tenant.linkId, all).length >= clicks,
    );
    await untilSpoolIsEmpty(place.folder);
    expect((await logged(place.databaseUrl)).length).toBe(log.length);
    expect(clicksOn(tenant.linkId, log).length).toBe(clicks);
    const paths = log.flatMap((event) => (event.type === 'PageViewed' ? [event.data.path] : []));
    expect(paths.toSorted()).toEqual(['/before', `/${again!}`]);
    await expectCounted(place.url('api'), tenant, log);
    expect(place.failures()).toEqual([]);
    expect(place.apps.map(({ service }) => service.pid)).toEqual(pids);
  });

  it('clicks outlive a kill of their tracker, and are in the log once afterwards', async () => {
    const before = clicksOn(tenant.linkId, await logged(place.databaseUrl)).length;
    const [tracker] = place.all('tracker');
    await place.stopPostgres();
    let clicks = 0;
    for (let round = 0; round < 10; round++) clicks += await followed();
    await untilAnswer(
      () => clicksOnDisk(place.folder),
      (count) => count === clicks,
    );
    process.kill(tracker!.service.pid!, 'SIGKILL');
    await place.startPostgres();
    await place.allReady();
    clicks += await followed();
    await untilAnswer(
      () => logged(place.databaseUrl),
      (all) => clicksOn(tenant.linkId, all).length >= before + clicks,
    );
    await untilSpoolIsEmpty(place.folder);
    expect(clicksOn(tenant.linkId, await logged(place.databaseUrl)).length).toBe(before + clicks);
    expect(place.failures()).toEqual([]);
  });

  async function view(id: string): Promise<{ status: number; retryAfter: string | null }> {
    const body = JSON.stringify([
      { eventId: id, name: 'screen_view', path: `/${id}`, anonymousId: 'a', sessionId: 's' },
    ]);
    const headers = { 'content-type': 'application/json', ...AS_BROWSER };
    const url = `${place.url('tracker')}/batch?client_id=${tenant.websiteId}`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.text();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  }

  /** Follows the link a few times at once; every redirect must be answered. */
  async function followed(): Promise<number> {
    const url = `${place.url('tracker')}/${tenant.slug}`;
    const all = Array.from({ length: 5 }, () => fetch(url, { redirect: 'manual', headers: AS_BROWSER }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 302));
    return statuses.length;
  }

  const ready = async () => (await fetch(`${place.url('api')}/health/ready`)).status;

  async function questionStatus(): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-api-key': tenant.key };
    const body = JSON.stringify({ parameters: ['top_pages'], preset: 'last_7d' });
    return (
      await fetch(`${place.url('api')}/v1/query?website_id=${tenant.websiteId}`, { method: 'POST', headers, body })
    ).status;
  }
}
