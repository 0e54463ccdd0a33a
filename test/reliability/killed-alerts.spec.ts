import type { Pool } from 'pg';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { Random } from '../../tools/traffic/random';
import { type Receiver, startReceiver } from '../destinations/receiver';
import { pageView } from '../events/observed-events';
import { waitUntil } from '../wait-until';
import { Installation } from './installation';
import { logged } from './log-audit';
import { create, newTenant, type Tenant } from './tenant';

jest.setTimeout(900_000);

/** `RELIABILITY_ALERT_KILLS=20 npx jest test/reliability/killed-alerts`. */
const KILLS = Number(process.env['RELIABILITY_ALERT_KILLS'] ?? 4);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_130);
const ALERTS = 10;
const MINUTE = 60_000;
const BLOCK = 15 * MINUTE;
const HOURS = 20;
const TIMEOUT = 90_000;

describe('alerts that two apis decide while processes are killed', () => {
  it(`decide on every window once, and are told once (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    const alertIds: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const begun = await createAlerts(kill);
      alertIds.push(...begun);
      await run(
        pool,
        sql`update alert_states set decided_until = ${new Date(BEGIN)}, due_at = now() where alert_id = any(${begun}::text[])`,
      );
      await new Promise((resolve) => setTimeout(resolve, random.below(2_000)));
      const victim = random.below(4) === 0 ? place.all('projector')[0] : place.all('api')[random.below(2)];
      const pid = victim?.service.pid;
      if (pid === undefined) throw new Error('There is no process to kill.');
      process.kill(pid, 'SIGKILL');
      await waitUntil(() => victim?.service.pid !== pid); // its end is noticed
      await place.allReady();
      await waitUntil(async () => (await undecided()) === 0, undefined, TIMEOUT);
    }
    const decided = (await logged(place.databaseUrl)).flatMap((event) =>
      event.type === 'AlertDecided' && event.data.outcome !== 'quiet' ? [event] : [],
    );
    for (const alertId of alertIds) {
      const own = decided.filter(({ data }) => data.alertId === alertId && data.to <= END);
      expect(own.map(({ data: { outcome, to } }) => ({ outcome, to }))).toEqual(expected());
    }
    const told = decided.filter(({ data }) => data.told > 0).map(({ id }) => id);
    await waitUntil(() => received().size >= told.length, undefined, TIMEOUT);
    expect([...received().keys()].toSorted()).toEqual(told.toSorted());
    for (const bodies of received().values()) expect(new Set(bodies).size).toBe(1);
    expect(place.failures()).toEqual([]);
  });

  const END = Math.floor(Date.now() / BLOCK) * BLOCK - 2 * BLOCK;
  const BEGIN = END - HOURS * 60 * MINUTE;
  const isOn = (at: number) => Math.floor(at / BLOCK) % 2 === 0;

  /** Windows of five minutes in blocks of 15 that have hits or none, by turns. */
  function expected() {
    const found: { outcome: string; to: number }[] = [];
    let isFiring = false;
    for (let to = BEGIN + 5 * MINUTE; to <= END; to += 5 * MINUTE) {
      const isMet = isOn(to - 1);
      if (isMet !== isFiring) found.push({ outcome: isMet ? 'fired' : 'over', to });
      isFiring = isMet;
    }
    return found;
  }

  async function createAlerts(round: number): Promise<string[]> {
    const { organizationId, websiteId, cookie } = tenant;
    const ids: string[] = [];
    for (let n = 0; n < ALERTS; n++) {
      const rule = { figure: 'pageviews', window: { minutes: 5 }, compare: 'above', threshold: 2, pauseMinutes: 0 };
      const filters = [{ field: 'path', op: 'in', value: ['/', `/${n}`] }];
      const of = { organizationId, websiteId, name: `Alert ${round} ${n}`, filters, destinationIds: [destinationId] };
      ids.push(await create(place.url('api'), 'alerts', { cookie }, { ...of, ...rule }));
    }
    const known = async () =>
      (await run(pool, sql`select from alert_states where alert_id = any(${ids}::text[])`)).length;
    await waitUntil(async () => (await known()) === ALERTS, undefined, TIMEOUT);
    return ids;
  }

  const undecided = async () => {
    const [row] = await run<{ left: number }>(
      pool,
      sql`select (select count(*) from alert_states where decided_until < ${new Date(END)})::integer
        + (select count(*) from alert_outbox)::integer as left`,
    );
    return row?.left ?? 1;
  };

  /** The bodies of each message, by the id of its event. */
  function received(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const { body } of receiver.received) {
      const { data } = JSON.parse(body) as { readonly data: { readonly id: string } };
      found.set(data.id, [...(found.get(data.id) ?? []), body]);
    }
    return found;
  }

  let place: Installation;
  let tenant: Tenant;
  let pool: Pool;
  let receiver: Receiver;
  let destinationId: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    place = await Installation.open(
      { api: 2, tracker: 0, projector: 1 },
      {
        DESTINATION_ALLOW: '127.0.0.0/8',
        PUBLIC_API_URL: 'http://localhost:3000', // what sends and decides elsewhere is a copy
      },
    );
    pool = openPool({ url: place.databaseUrl, name: 'spec', max: 2 });
    tenant = await newTenant(place.url('api'));
    const { organizationId, websiteId, cookie } = tenant;
    const destination = { organizationId, name: 'Receiver', kind: 'webhook', url: receiver.url, sends: [] };
    destinationId = await create(place.url('api'), 'destinations', { cookie }, destination);
    await run(
      pool,
      sql`insert into tracker_minutes select generate_series(now() - interval '2 days', now() + interval '1 day', '1 minute')`,
    );
    const log = await openIntakeLog({ databaseUrl: place.databaseUrl });
    const hits = [];
    for (let at = BEGIN; at < END; at += MINUTE)
      if (isOn(at)) hits.push(pageView(at, { organizationId, websiteId, path: '/' }));
    await log.send(hits.map((event) => ({ event, subject: websiteId, dedupe: '48h' })));
    await log.close();
    await createAlerts(-1); // so that a source of messages is there
    await waitUntil(async () => (await run(pool, sql`select from delivery_sources`)).length > 0, undefined, TIMEOUT);
  });

  afterAll(async () => {
    await pool.end();
    await place.close();
    await receiver.stop();
  });
});
