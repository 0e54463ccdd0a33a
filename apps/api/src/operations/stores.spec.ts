import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { addRunningProcesses } from '@test/api/running-processes';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { waitUntil } from '@test/wait-until';
import { POOL } from '../tokens';

describe('the readiness of an api on EventStoreDB', () => {
  it('is unavailable while nothing can be appended, though everything can be read', async () => {
    await readiness('ok');
    const events = double.log.all.length;
    double.onAppend = () => Promise.resolve(undefined); // as of two followers without a leader
    const { body } = await readiness('unavailable');
    expect(body).toMatchObject({
      reason: 'An api cannot write to the event store: EventStoreDB answers with an error.',
      eventStore: 'down',
      database: 'ok',
      degradations: [{ kind: 'store', group: 'event_store' }],
    });
    expect((await ask(api, `GET /v1/websites/${owner.websiteId}`, owner)).status).toBe(200);
    expect((await ask(api, 'GET /metrics')).text).toContain(
      'ledgerline_store_up{store="event_store",operation="write"} 0\n',
    );
    double.onAppend = () => undefined;
    await readiness('ok');
    expect(double.log.all).toHaveLength(events); // nothing was written to find that out
  });

  it('is degraded while the server fills no category streams, and commands go on', async () => {
    double.log.projection = 'Faulted';
    const { body } = await readiness('degraded');
    expect(body.degradations).toEqual([
      {
        kind: 'store',
        group: 'event_store',
        reason:
          'EventStoreDB does not run its projection $by_category (Faulted); audit logs are read from $all, which takes longer.',
      },
    ]);
    const { organizationId } = owner;
    const site = { organizationId, name: 'Late', domain: 'late.example' };
    expect((await ask(api, 'POST /v1/websites', { ...owner, body: site })).status).toBe(201);
    const { body: log } = await ask(api, `GET /v1/audit-log?organizationId=${organizationId}&limit=1`, owner);
    expect(log.data).toMatchObject([{ action: 'website.created', target: { name: 'Late' } }]);
    const { body: verdict } = await ask(api, `GET /v1/audit-log/verify?organizationId=${organizationId}`, owner);
    expect(verdict).toMatchObject({ valid: true });
    double.log.projection = 'Running';
    await readiness('ok');
  });

  it('is ok where the stream that is asked for writing, or that of a link, has a tombstone; the link has ended', async () => {
    const { organizationId } = owner;
    const wanted = { organizationId, targetUrl: 'https://shop.example/', slug: 'ended', name: 'Ended' };
    const { body, status } = await ask(api, 'POST /v1/links', { ...owner, body: wanted });
    expect(status).toBe(201);
    const { id } = body;
    for (const stream of ['ledgerline-probe', `${organizationId}-link-${String(id)}`]) double.log.tombstone(stream);
    await readiness('ok');
    const changed = await ask(api, `PATCH /v1/links/${String(id)}`, { ...owner, body: { name: 'Other' } });
    expect(changed).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(changed.body.error).toContain('has a tombstone in EventStoreDB: it has ended for good.');
    await readiness('ok');
  });

  it('is degraded where the signed heads of the intake log have a tombstone', async () => {
    const log = double.log.copy();
    double.log.tombstone('global-intake-heads');
    const { body } = await readiness('degraded');
    expect(JSON.stringify(body.degradations)).toContain('The signed heads of the intake log are gone');
    double.log = log;
    await readiness('ok');
  });

  it('is unavailable while nothing can be read', async () => {
    double.silent = true;
    await readiness('unavailable');
    double.silent = false;
    await readiness('ok');
  });
});

const readiness = (status: string) =>
  waitUntil(
    () => ask(api, 'GET /health/ready'),
    ({ body }) => body.status === status,
  );

let double: EventStoreDbDouble;
let api: TestApi;
let owner: Owner;

beforeAll(async () => {
  double = await EventStoreDbDouble.start();
  const store = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: double.url };
  api = await startTestApi({ ...store, LIMIT_PUBLIC_PER_MINUTE: '100000' });
  owner = await ownerWithWebsite(api);
  const database = api.app.get<Pool>(POOL);
  await addRunningProcesses(database);
  await database.query(`
    insert into projection_groups (name, live_version) values ('websites', 1);
    insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
    values ('websites', 1, 0, 'e', '')`);
});

afterAll(async () => {
  await api.close();
  double.stop();
});
