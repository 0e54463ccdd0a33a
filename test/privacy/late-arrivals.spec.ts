import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { headerOf, MessageAuthenticator, hitMessageJson } from '@ledgerline/kafka/hit-message';
import { useTopic } from '@ledgerline/kafka/topic-offsets';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { erasureStream } from '@ledgerline/platform/event-store/event-store';
import { type IntakeLog, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { PartitionCopier } from '../../apps/projector/src/copier/partition-copier';
import { DecidedErasures } from '../../apps/projector/src/erasures/decided-erasures';
import { eraseVisits } from '../../apps/projector/src/erasures/erase-visits';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { runImport } from '../../apps/tracker/src/import/import-command';
import { INTAKE_LOG } from '../../apps/tracker/src/tokens';
import { pageView } from '../events/observed-events';
import { type DirectProjector, PARTITIONS, projectInto } from '../query/projected-database';
import { type RunningTracker, startTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';
import { ADDRESSES, PERSON } from './visitors';

const { v4: ANN, v6: BOB } = ADDRESSES;
const TOPIC = 'hits';

describe('what an erased visitor did before, and the log gets after the erasure', () => {
  it('is left out where it waited in the click spool', async () => {
    const log = tracker.app.get<IntakeLog>(INTAKE_LOG);
    const send = log.send.bind(log);
    const spooled = jest.spyOn(log, 'send').mockImplementation((hits) => {
      if (hits.some(({ event }) => event.type === 'LinkClicked')) return Promise.reject(new LogUnavailable('away'));
      return send(hits);
    });
    for (const address of [ANN, BOB]) await view(address, await follow(address));
    const annsView = await recorded(2);
    await erase(annsView);
    spooled.mockRestore();
    await waitUntil(async () => (await tracker.recorded()).filter(({ type }) => type === 'LinkClicked').length === 2);
    await project();
    expect([await views(), await clicks()]).toEqual([1, 1]);
  });

  it('is left out where it waited in Kafka', async () => {
    await view(ANN);
    const anns = await recorded(1);
    const late = [anns, 'b'.repeat(32)].map((visitorId) => pageView(Date.now(), { websiteId: 'site_1', visitorId }));
    await erase(anns);
    await copy(late);
    await project();
    expect(await views()).toBe(1);
  });

  it('is left out where it was imported later', async () => {
    await importing(ANN, '/first');
    await erase(await recorded(1));
    expect(await views()).toBe(0);
    for (const address of [ANN, BOB]) await importing(address, '/later');
    expect(await tracker.recorded()).toHaveLength(3);
    await project();
    expect(await views()).toBe(1);
  });

  let tracker: RunningTracker;
  let projector: DirectProjector;
  let pool: Pool;

  beforeEach(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true', INTAKE_PARTITIONS: String(PARTITIONS) });
    await tracker.registerWebsite('site_1');
    await tracker.createLink('link_1', { slug: 'followed' });
    projector = await projectInto(tracker.settings.databaseUrl);
    pool = openProjectionPool(tracker.settings.databaseUrl, { max: 4 });
  });
  afterEach(async () => {
    await projector.close();
    await pool.end();
    await tracker.stop();
  });

  /** Answers the query string that the redirect leads to. */
  async function follow(address: string): Promise<string> {
    const headers = { 'user-agent': PERSON, 'x-forwarded-for': address };
    const { headers: answered } = await tracker.app.inject({ url: '/followed', headers });
    return new URL(String(answered['location'])).search;
  }

  async function view(address: string, query = ''): Promise<void> {
    const headers = { 'user-agent': PERSON, 'x-forwarded-for': address, 'content-type': 'application/json' };
    const payload = [{ name: 'screen_view', path: `https://example.com/${query}` }];
    const { statusCode } = await tracker.app.inject({
      method: 'POST',
      url: '/batch?client_id=site_1',
      headers,
      payload,
    });
    expect(statusCode).toBe(200);
  }

  async function importing(address: string, path: string): Promise<void> {
    const file = join(tracker.settings.dataDir, 'access.log');
    await writeFile(file, `${address} - - [17/May/2015:10:00:00 +0200] "GET ${path} HTTP/1.1" 200 5 "-" "${PERSON}"\n`);
    const io = { variables: { DATABASE_URL: tracker.settings.databaseUrl }, stdin: Readable.from([]) };
    const stops = { signal: new AbortController().signal, print: () => undefined };
    await runImport(['--website', 'site_1', file], { ...io, ...stops });
  }

  /** As the copier of the projector does it, from the messages of a tracker. */
  async function copy(events: readonly ObservedEvent[]): Promise<void> {
    const tags = new MessageAuthenticator('pepper', TOPIC);
    const copied = openPool({ url: tracker.settings.databaseUrl, name: 'copier', max: 3, pipeline: true });
    await useTopic(copied, TOPIC);
    const partition = partitionOf('site_1', PARTITIONS);
    const messages = events.map((event, at) => {
      const item = { event, subject: 'site_1', dedupe: '48h' as const };
      const key = item.subject;
      const value = hitMessageJson(event);
      const hit = headerOf(item, 'tracker', at);
      const tag = tags.tagOf({ partition, key, hit, traceparent: undefined, value });
      const headers = { hit: Buffer.from(hit), tag: Buffer.from(tag) };
      const of = { offset: String(at), timestamp: String(Date.now()) };
      return { ...of, key: Buffer.from(key), value: Buffer.from(value), headers };
    });
    let stored = 0;
    const copier = new PartitionCopier({
      pool: copied,
      topic: TOPIC,
      tags,
      partition,
      partitions: PARTITIONS,
      watermarks: () => Promise.resolve({ partition, low: 0, high: messages.length }),
      logger: createLogger('copier', 'silent'),
      onCopied: (more) => (stored += more.stored),
    });
    await copier.copy({
      partition,
      fetchedOffset: 0,
      messages,
      lastOffset: messages.length - 1,
      done: () => undefined,
      seek: () => undefined,
      pause: () => undefined,
      isStale: () => false,
      heartbeat: () => Promise.resolve(),
    });
    await copied.end();
    expect(stored).toBe(events.length);
  }

  /** The visitor of the first of so many page views. */
  async function recorded(count: number): Promise<string> {
    const found = await waitUntil(
      async () => (await tracker.recorded()).filter(({ type }) => type === 'PageViewed'),
      ({ length }) => length === count,
    );
    const [first] = found as readonly { data: { visitorId: string } }[];
    return first!.data.visitorId;
  }

  /** Erases a visitor, also from what is projected. */
  async function erase(visitorId: string): Promise<void> {
    const { store, log } = tracker;
    await project();
    const organizationId = 'org_1';
    const erasureId = 'era_1';
    const subject = { websiteId: 'site_1', visitors: [visitorId] };
    const data = { organizationId, erasureId, subject, destroyedKeyIds: [] };
    const metadata = { occurredAt: new Date().toISOString(), schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream(organizationId, erasureId), 'no-stream', [event]);
    const groups = boundGroups({ eventStore: store, intakeLog: log, pool });
    for (const group of groups.filter(({ name }) => name === 'websites' || name === 'links'))
      await eraseVisits(group, new DecidedErasures(store));
  }

  const project = () => projector.catchUp();

  const views = () => count(sql`select coalesce(sum(pageviews), 0)::integer as count from websites_v1.sessions`);
  const clicks = () =>
    count(sql`select coalesce(sum(clicks), 0)::integer as count from links_v1.link_clicks_15min where span = 96`);

  async function count(query: ReturnType<typeof sql>): Promise<number | undefined> {
    const [row] = await run<{ count: number }>(pool, query);
    return row?.count;
  }
});
