import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { runPartition } from '../../apps/projector/src/runner/run-partition';
import { openLiveVersion } from '../../apps/projector/src/versions/live-version';
import { ClickRecorder } from '../../apps/tracker/src/click-spool/click-recorder';
import { newKey } from '../api/people';
import { pageView } from '../events/observed-events';
import { createTestDatabase } from '../postgres/test-database';
import { projectInto } from '../query/projected-database';
import { DAY, startQueryApi } from '../query/query-api';
import { startTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';

export interface Observer {
  /** The files of the product in which a call, or what it starts, runs a function. */
  reachedBy(call: () => Promise<void>): Promise<readonly string[]>;
  /** Does within a call what is no part of it. */
  outside<T>(work: () => Promise<T>): Promise<T>;
}

type Reached = Readonly<Record<string, readonly string[]>>;

/** Returns what each flow reaches. */
export async function filesOfFlows(observer: Observer): Promise<Reached> {
  return {
    ...(await filesOfApi(observer)),
    ...(await filesOfTracker(observer)),
    ...(await filesOfProjector(observer)),
  };
}

/** Returns what the third of three calls reaches: those before it have filled the caches that a running process has. */
async function reachedByThird(observer: Observer, call: (nth: number) => Promise<void>): Promise<readonly string[]> {
  await call(1);
  await call(2);
  return observer.reachedBy(() => call(3));
}

async function filesOfApi(observer: Observer): Promise<Reached> {
  const { api, owner, key, close } = await startQueryApi();
  const { organizationId, websiteId } = owner;
  const writing = await newKey(api, owner, { scopes: ['write:data'] });
  const ask = (body: object) => {
    const payload = { parameters: ['top_pages'], startDate: DAY, endDate: DAY, ...body };
    const url = `/v1/query?website_id=${websiteId}`;
    return respond(api.app, 200, { method: 'POST', url, headers: { 'x-api-key': key }, payload });
  };
  const question = await reachedByThird(observer, (limit) => ask({ limit }));
  const count = await reachedByThird(observer, (limit) => ask({ limit, filters: FILTERS }));
  const command = await reachedByThird(observer, (nth) => {
    const payload = { organizationId, name: 'Sale', targetUrl: 'https://example.com', slug: `sale-${nth}` };
    return respond(api.app, 201, { method: 'POST', url: '/v1/links', headers: { 'x-api-key': writing }, payload });
  });
  await close();
  return { Question: question, Count: count, Command: command };
}

const FILTERS = [
  { field: 'country', op: 'eq', value: 'DE' },
  { field: 'browser_name', op: 'ne', value: 'Opera' },
];

async function filesOfTracker(observer: Observer): Promise<Reached> {
  const tracker = await startTracker({ TRUST_PROXY: 'true' });
  await tracker.registerWebsite('site_1');
  for (const nth of [1, 2, 3]) await tracker.createLink(`link_${nth}`, { slug: `sale-${nth}` });
  const registry = await projectInto(tracker.settings.databaseUrl, ['websites', 'links', 'monitors']);
  await registry.catchUp();
  const url = '/batch?client_id=site_1';
  const hit = await reachedByThird(observer, () =>
    respond(tracker.app, 200, { method: 'POST', url, headers: HEADERS, payload: [VIEW] }),
  );
  const clicks = tracker.app.get(ClickRecorder);
  const click = await reachedByThird(observer, async (nth) => {
    await respond(tracker.app, 302, { method: 'GET', url: `/sale-${nth}`, headers: HEADERS });
    await clicks.idle();
  });
  await registry.close();
  await tracker.stop();
  return { Hit: hit, Click: click };
}

const HEADERS = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'x-forwarded-for': '81.2.69.142',
};

const VIEW = {
  name: 'screen_view',
  path: 'https://example.com/prices',
  title: 'Prices',
  referrer: 'https://www.google.de/',
  language: 'de-DE',
  timezone: 'Europe/Berlin',
};

/** The loop of a partition that is at the head of its log, until it has projected one more page view. */
async function filesOfProjector(observer: Observer): Promise<Reached> {
  const database = await createTestDatabase();
  const pool = openProjectionPool(database.url, { max: 4 });
  const intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
  const eventStore = await openEventStore({ databaseUrl: database.url });
  const group = boundGroups({ eventStore, intakeLog, pool }).find(({ name }) => name === 'websites')!;
  await openLiveVersion(pool, group, group.log);
  const ending = new AbortController();
  const { signal } = ending;
  const log = group.log;
  const partition = 0;
  const logger = createLogger('projector', 'silent');
  const runner = group.liveRunners({ batch: 1_000, signal })(partition);
  const loop = { runner, log, partition, logger, invalidateCaches: () => group.invalidateCaches(), signal };
  const fact = await reachedByThird(observer, async (nth) => {
    const event = pageView(Date.parse(`${DAY}T10:00:00Z`) + nth, { websiteId: 'site_1', path: `/${nth}` });
    await observer.outside(() => intakeLog.send([{ event, subject: 'site_1', dedupe: '48h' }]));
    if (nth < 3) return void (await runner.step());
    const running = runPartition(loop);
    await observer.outside(() => waitUntil(async () => runner.cursor === (await intakeLog.head(partition))));
    ending.abort();
    await running;
  });
  await Promise.all([intakeLog.close(), eventStore.close()]);
  await pool.end();
  await database.drop();
  return { Fact: fact };
}

/** Checks the response to a request inside of the process. */
async function respond(app: NestFastifyApplication, status: number, request: InjectOptions): Promise<void> {
  const { statusCode, body } = await app.getHttpAdapter().getInstance().inject(request);
  if (statusCode !== status) throw new Error(`${JSON.stringify(request)}: ${statusCode} ${body}`);
}
