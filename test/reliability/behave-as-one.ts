import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { takeClick } from '@ledgerline/domain/links/click-id';
import type { EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import { untilAnswer } from '../journeys/product';
import { waitUntil } from '../wait-until';
import type { Installation, Running } from './installation';
import { chainsOf, expectCounted, settled } from './log-audit';
import { Stream } from './stream';
import { AS_BROWSER, createLink, newSlug, newTenant, rowsOf, type Tenant } from './tenant';

const SEED = 20_261_121;
/** Tests what two of every process must do as one would. */
export function behaveAsOne(opened: () => Installation, storeOf: (place: Installation) => EventStoreAddress): void {
  let place: Installation;
  let tenant: Tenant;

  beforeAll(async () => {
    place = opened();
    tenant = await newTenant(place.url('api', 0));
  });

  it('follow a link on one tracker that was made on another api', async () => {
    const slug = newSlug();
    await createLink(place.url('api', 0), tenant, slug);
    expect(await statusOf(`${place.url('tracker', 1)}/${slug}`)).toBe(302);
    expect(await statusOf(`${place.url('tracker', 0)}/${slug}`)).toBe(302);
  });

  it('redirect to what a link is changed to, and nowhere once it is deleted, on both trackers', async () => {
    const slug = newSlug();
    const path = `/v1/links/${await createLink(place.url('api', 0), tenant, slug)}`;
    const key = { 'x-api-key': tenant.key };
    const onBoth = (expected: object) =>
      untilAnswer(
        () => Promise.all([0, 1].map((at) => redirectOf(`${place.url('tracker', at)}/${slug}`))),
        (answers) => isDeepStrictEqual(answers, [expected, expected]),
      );
    await onBoth({ status: 302, location: 'https://example.com/landing' });
    const changed = await fetch(`${place.url('api', 1)}${path}`, {
      method: 'PATCH',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify({ targetUrl: 'https://example.com/changed' }),
    });
    expect(changed.status).toBe(200);
    await onBoth({ status: 302, location: 'https://example.com/changed' });
    expect((await fetch(`${place.url('api', 0)}${path}`, { method: 'DELETE', headers: key })).status).toBe(204);
    await onBoth({ status: 404, location: null });
  });

  it('share what is left of a rate limit', async () => {
    const left: number[] = [];
    for (const at of [0, 1, 0, 1, 1, 0]) left.push(await remainingOf(place.url('api', at), tenant));
    expect(left).toEqual(left.map((_, at) => left[0]! - at));
  });

  it('count what either tracker heard, once, and answer alike', async () => {
    const stream = streamOn();
    await stream.progress();
    await settle(stream);
    const names = ['summary_metrics', 'events_by_date', 'browser_name', 'session_metrics'];
    for (const name of names) {
      const [one, other] = await Promise.all([0, 1].map((at) => rowsOf(place.url('api', at), tenant, name, 'website')));
      expect(one).toEqual(other);
    }
  });

  it('take over from a projector that hangs, which writes nothing stale when it goes on', async () => {
    const [hanging] = place.all('projector');
    const stream = streamOn();
    await freezeAmidATransaction(hanging!);
    await stream.progress();
    await settle(stream);
    process.kill(hanging!.service.pid!, 'SIGCONT');
    const after = streamOn();
    await after.progress();
    await settle(after);
  });

  it('leave chains that hold', async () => {
    await untilAnswer(
      () => chainsOf(place.databaseUrl, storeOf(place), tenant),
      ({ intake, decided }) => intake && decided,
    );
  });

  let streams = 0;
  const streamOn = () => new Stream([place.url('tracker', 0), place.url('tracker', 1)], tenant, SEED, `${++streams}`);

  /** Ends the stream; everything it was promised must be counted by both apis. */
  async function settle(stream: Stream): Promise<void> {
    const log = await settled(stream, tenant, place.databaseUrl);
    expect(place.failures()).toEqual([]);
    for (const at of [0, 1]) await expectCounted(place.url('api', at), tenant, log);
  }

  /** Stops a process where it stands, at a moment when it holds a claim on some partition. */
  async function freezeAmidATransaction({ service }: Running): Promise<void> {
    const pool = openPool({ url: place.databaseUrl, name: 'onlooker', max: 1 });
    try {
      await waitUntil(async () => {
        process.kill(service.pid!, 'SIGSTOP');
        await sleep(400);
        const { rowCount } = await pool.query(HANGING);
        if (rowCount === 0) process.kill(service.pid!, 'SIGCONT');
        return rowCount !== 0;
      });
    } finally {
      await pool.end();
    }
  }
}

const HANGING = `
  select from pg_stat_activity
  where application_name like 'ledgerline-projector%' and state like 'idle in transaction%'
    and state_change < clock_timestamp() - interval '350 ms'`;

async function redirectOf(url: string) {
  const { status, headers } = await fetch(url, { redirect: 'manual', headers: AS_BROWSER });
  const location = headers.get('location');
  return { status, location: location && takeClick(location).address };
}

const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual', headers: AS_BROWSER })).status;

async function remainingOf(apiUrl: string, { key }: Tenant): Promise<number> {
  const { headers } = await fetch(`${apiUrl}/v1/query/websites`, { headers: { 'x-api-key': key } });
  return Number(headers.get('x-ratelimit-remaining'));
}
