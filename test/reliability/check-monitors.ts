import type { Pool } from 'pg';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { startHttpServer, type HttpServer } from '../monitors/http-server';
import { waitUntil } from '../wait-until';
import type { Installation } from './installation';
import { logged } from './log-audit';
import { create, newTenant, post, type Tenant } from './tenant';

/**
 * Tells how two projectors check monitors, whose history the rebuild at the end has too. Due times are moved in the
 * schedule, as the shortest interval is half a minute.
 */
export function checkMonitors(opened: () => Installation): void {
  it('are checked, each due time once', async () => {
    await waitUntil(async () => (await recorded()).length >= MONITORS);
    await due();
    await waitUntil(async () => (await recorded()).length >= 2 * MONITORS);
    expect(await twice()).toEqual([]);
  });

  it('are checked for the same due times by others when they are killed during their checks', async () => {
    const before = (await recorded()).length;
    const answered = server.requests.length;
    isHolding = true;
    const times = await due();
    await waitUntil(() => server.requests.length >= answered + MONITORS);
    for (const projector of place.all('projector')) await place.killForGood(projector);
    isHolding = false;
    for (const end of held.splice(0)) end();
    for (let n = 0; n < 2; n++) await place.startAnother('projector');
    const checks = await waitUntil(async () => {
      const all = await recorded();
      return all.length >= before + MONITORS && all;
    });
    const made = checks.map(({ data }) => `${data.monitorId} ${data.dueAt}`);
    for (const time of times) expect(made).toContain(time);
    expect(await twice()).toEqual([]);
  });

  it('show a downtime while the server is away, which ends when it is back', async () => {
    await server.close();
    await afterNextChecks();
    await afterNextChecks();
    await waitUntil(async () => (await summary()).incidents === 1);
    await shows('Shop is down', 'outage');
    const { port } = server;
    server = await startHttpServer(respond, port);
    await afterNextChecks();
    const ended = await waitUntil(async () => {
      const { downtime_seconds: seconds, ...rest } = await summary();
      await afterNextChecks();
      return seconds === (await summary()).downtime_seconds && rest;
    });
    expect(ended).toMatchObject({ failed_checks: 2, incidents: 1 });
    await shows('Shop was down', 'operational');
    expect(await auditedActions()).toEqual(['status_page.created', ...Array<string>(MONITORS).fill('monitor.created')]);
    expect(place.failures()).toEqual([]);
  });

  const MONITORS = 6;
  let place: Installation;
  let tenant: Tenant;
  let pool: Pool;
  let server: HttpServer;
  let isHolding = false;
  let monitorId: string;
  const slug = 'shop-of-two-projectors';
  const held: (() => void)[] = [];

  const respond: Parameters<typeof startHttpServer>[0] = (_, reply) => {
    if (isHolding) held.push(() => reply.end());
    else reply.end();
  };

  beforeAll(async () => {
    server = await startHttpServer(respond);
    place = opened();
    pool = openPool({ url: place.databaseUrl, name: 'spec', max: 2 });
    tenant = await newTenant(place.url('api'));
    const body = { organizationId: tenant.organizationId, name: 'Shop', url: server.url, intervalSeconds: 3_600 };
    for (let n = 0; n < MONITORS; n++)
      monitorId = await create(
        place.url('api'),
        'monitors',
        { 'x-api-key': tenant.key },
        { ...body, timeoutSeconds: 3 },
      );
    const page = { organizationId: tenant.organizationId, slug, name: 'Shop', monitorIds: [monitorId], isPublic: true };
    await create(place.url('api'), 'status-pages', { 'x-api-key': tenant.key }, page);
  });

  /** As people find it: the page, the feed, the badge and the JSON. */
  async function shows(title: string, status: string): Promise<void> {
    const read = async (path: string) => (await fetch(`${place.url('api')}${path}`)).text();
    const report = `/public/v1/status-pages/${slug}`;
    await waitUntil(async () => (await read(report)).includes(`"overallStatus":"${status}"`));
    for (const path of [report, `/status/${slug}`, `/status/${slug}/feed.atom`])
      await waitUntil(async () => (await read(path)).includes(title));
    expect(await read(`/status/${slug}/badge.svg`)).toContain(`status: ${status}`);
  }

  async function auditedActions(): Promise<string[]> {
    const path = `/v1/audit-log?organizationId=${tenant.organizationId}&limit=${MONITORS + 1}`;
    const answer = await fetch(`${place.url('api')}${path}`, { headers: { cookie: tenant.cookie } });
    const { data } = (await answer.json()) as { data: { action: string }[] };
    return data.map(({ action }) => action);
  }

  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  async function recorded(): Promise<MonitorChecked[]> {
    const events = await logged(place.databaseUrl);
    return events.filter((event): event is MonitorChecked => event.type === 'MonitorChecked');
  }

  /** Due times that were recorded more than once. */
  async function twice(): Promise<string[]> {
    const made = (await recorded()).map(({ data }) => `${data.monitorId} ${data.dueAt}`);
    return made.filter((each, at) => made.indexOf(each) < at);
  }

  /** Has all monitors checked now, as `<monitor> <due time>`. */
  async function due(): Promise<string[]> {
    await waitUntil(async () => {
      const taken = sql`select from monitor_schedule where claimed_until is not null`;
      return (await run(pool, taken)).length === 0;
    });
    const rows = await run<{ id: string; at: number }>(
      pool,
      sql`update monitor_schedule set due_at = date_trunc('milliseconds', now()) where claimed_until is null
        returning monitor_id as id, (extract(epoch from due_at) * 1000)::float8 as at`,
    );
    return rows.map(({ id, at }) => `${id} ${at}`);
  }

  async function afterNextChecks(): Promise<void> {
    const before = (await recorded()).length;
    await due();
    await waitUntil(async () => (await recorded()).length >= before + MONITORS);
  }

  async function summary(): Promise<Record<string, unknown>> {
    const url = `${place.url('api')}/v1/query?monitor_id=${monitorId}`;
    const answer = await post(url, { 'x-api-key': tenant.key }, { parameters: ['uptime_summary'], preset: 'last_7d' });
    return (answer.data as { data: Record<string, unknown>[] }[])[0]!.data[0]!;
  }
}
