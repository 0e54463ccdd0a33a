import type { Pool } from 'pg';
import { readCopying } from '@ledgerline/kafka/copying';
import { headerOf, MessageAuthenticator, type ReadMessage, hitMessageJson } from '@ledgerline/kafka/hit-message';
import type { TopicBatch } from '@ledgerline/kafka/hit-topic';
import { acceptTopic, readCopied, requireTags, useTopic } from '@ledgerline/kafka/topic-offsets';
import { openPool } from '@ledgerline/platform/database/pool';
import { dropHitTraces, readHitTraces } from '@ledgerline/platform/intake-log/encoded-hit';
import type { IntakeItem, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { hit, idsOf, readAll } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { PartitionCopier, type Copied } from './partition-copier';

const TOPIC = 'hits';
const tags = new MessageAuthenticator('pepper', TOPIC);
const DAY_MS = 24 * 60 * 60_000;

describe('the copier of a partition', () => {
  it('goes on where its offset in the database says, wherever Kafka begins', async () => {
    produce('a', 'b', 'c');
    await fetchInto(newCopier(), 0);
    produce('d', 'e');
    const other = newCopier();
    expect(await fetchInto(other, 0)).toEqual({ seek: 2 }); // for the message before, by which it knows the topic
    expect(await fetchInto(other, 5)).toEqual({ seek: 2 });
    await fetchInto(other, 2);
    expect(await stored()).toEqual(idsNamed('a', 'b', 'c', 'd', 'e'));
    expect(await fetchInto(other, 3)).toEqual({ seek: 4 });
    expect(await fetchInto(other, 4)).toEqual({ seek: 5 });
    produce('f');
    await fetchInto(other, 5);
    expect(await stored()).toHaveLength(6);
  });

  it('writes nothing where another process has copied', async () => {
    produce('a');
    const one = newCopier();
    const two = newCopier();
    for (const copier of [one, two]) await fetchInto(copier, 0);
    produce('b', 'c');
    await Promise.all([fetchInto(one, 1), fetchInto(two, 1)]);
    await fetchInto(one, 2);
    await fetchInto(two, 2);
    expect(await stored()).toEqual(idsNamed('a', 'b', 'c'));
  });

  it('stores once what was sent again, by whatever it is recognised', async () => {
    const batch = 'd'.repeat(32);
    put(hit('a', { dedupe: 'never' }), 0);
    put(hit('a', { dedupe: 'never' }), 0);
    put(hit('b'), 1);
    put(hit('b'), 2);
    for (const [at, name] of ['c', 'd'].entries()) put({ ...hit(name, { dedupe: 'forever' }), batch }, 3 + at);
    const copier = newCopier();
    await fetchInto(copier, 0);
    for (const [at, name] of ['c', 'd'].entries()) put({ ...hit(name, { dedupe: 'forever' }), batch }, 5 + at);
    await fetchInto(copier, 6);
    expect(await stored()).toEqual(idsNamed('a', 'b', 'c', 'd'));
    expect(counts).toEqual({ stored: 4, duplicates: 4, refused: 0 });
  });

  it('recognises a retry within 48 hours of its arrival, however late it is copied', async () => {
    const now = Date.now();
    await pool.query('update intake_topic_offsets set caught_up_at = $1', [new Date(now - 5 * DAY_MS)]);
    put(hit('a'), 0, now - 4.9 * DAY_MS);
    put(hit('b'), 1, now - 3.5 * DAY_MS);
    put(hit('a'), 2, now - 3 * DAY_MS);
    await fetchInto(newCopier(), 0).catch(() => undefined); // tables of those days are made
    await fetchInto(newCopier(), 0);
    expect(await stored()).toEqual(idsNamed('a', 'b'));
  });

  it('passes over what is no hit, and counts it', async () => {
    produce('a');
    messages.push(
      { ...messages[0]!, offset: '1', value: Buffer.from('{}') }, // which its tag does not vouch for
      { ...messages[0]!, offset: '2', headers: {} },
    );
    number = 1;
    produce('b');
    await fetchInto(newCopier(), 0);
    expect(await stored()).toEqual(idsNamed('a', 'b'));
    expect(counts).toEqual({ stored: 2, duplicates: 0, refused: 2 });
    const { rows } = await pool.query(
      'select reason, messages, first_offset from intake_refused_messages order by reason',
    );
    expect(rows).toEqual([
      { reason: 'no header of a tracker', messages: '1', first_offset: '2' },
      { reason: 'wrong tag', messages: '1', first_offset: '1' },
    ]);
    expect(logged.map(({ text }) => text)).toEqual([
      'a message is no hit; it and others like it are passed over',
      'a message is no hit; it and others like it are passed over',
    ]);
    expect((await readCopying(pool))[0]).toMatchObject({ refused: 2 });
  });

  it('says loudly how many messages were dropped before they were copied, and goes on', async () => {
    produce('a', 'b', 'c', 'd');
    const copier = newCopier();
    await fetchInto(copier, 0, messages.slice(0, 1));
    low = 3;
    expect(await fetchInto(copier, 3)).toEqual({ seek: 3 });
    await fetchInto(copier, 3);
    expect(await stored()).toEqual(idsNamed('a', 'd'));
    expect(logged).toEqual([
      { text: expect.stringContaining('dropped messages') as string, messages: 2, from: 1, to: 2 },
    ]);
    expect((await readCopying(pool))[0]).toMatchObject({ lost: 2, stopped: null, messages: 0 });
  });

  it('stops where the topic ends before its offset, until an operator accepts it', async () => {
    produce('a', 'b', 'c');
    const copier = newCopier();
    await fetchInto(copier, 0);
    messages = [];
    produce('d');
    expect(await fetchInto(copier, 0)).toEqual({ paused: true });
    expect((await readCopying(pool))[0]?.stopped).toMatch(/^The topic hits is not the one that was copied/);
    expect(await fetchInto(copier, 0)).toEqual({ paused: true });
    expect(await acceptTopic(pool)).toEqual([{ topic: TOPIC, partition: 0 }]);
    await fetchInto(copier, 0);
    expect(await stored()).toEqual(idsNamed('a', 'b', 'c', 'd'));
  });

  it('stops where the message before its offset is another one, also while it runs', async () => {
    produce('a', 'b');
    const copier = newCopier();
    await fetchInto(copier, 0);
    messages = [];
    produce('x', 'y', 'z');
    expect(await fetchInto(copier, 0)).toEqual({ seek: 1 });
    expect(await fetchInto(copier, 1)).toEqual({ paused: true });
    expect(await stored()).toEqual(idsNamed('a', 'b'));
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;
  let messages: ReadMessage[];
  let number: number;
  let low: number;
  let counts: Copied;
  let logged: { readonly text: string }[];

  beforeEach(async () => {
    messages = [];
    number = 0;
    low = 0;
    logged = [];
    counts = { stored: 0, duplicates: 0, refused: 0 };
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'copier', max: 3, pipeline: true });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    await useTopic(pool, TOPIC);
  });
  afterEach(async () => {
    await Promise.all([log.close(), pool.end()]);
    await database.drop();
  });

  const idsNamed = (...names: string[]) => names.map((name) => hit(name).event.id);
  const stored = async () => idsOf(await readAll(log));
  const produce = (...names: string[]) => names.forEach((name) => put(hit(name, { dedupe: 'never' }), number++));

  function put(item: IntakeItem, at: number, timestamp = Date.now()): void {
    const key = item.subject;
    const value = hitMessageJson(item.event);
    const hit = headerOf(item, 'tracker', at);
    const traceparent = item.trace;
    const tag = tags.tagOf({ partition: 0, key, hit, traceparent, value });
    messages.push({
      key: Buffer.from(key),
      value: Buffer.from(value),
      headers: Object.fromEntries(
        Object.entries({ hit, tag, ...(traceparent !== undefined && { traceparent }) }).map(([name, text]) => [
          name,
          Buffer.from(text),
        ]),
      ),
      offset: String(messages.length),
      timestamp: String(timestamp),
    });
  }

  it('copies what trackers of an earlier version wrote without tags, until an operator ends that', async () => {
    await pool.query('update intake_topic_offsets set requires_tags = false'); // as the upgrade does
    produce('a', 'b');
    messages = messages.map((message) => ({ ...message, headers: { hit: message.headers!['hit'] } }));
    const copier = newCopier();
    await fetchInto(copier, 0);
    produce('c');
    await fetchInto(copier, 2);
    expect(await requireTags(pool)).toEqual([{ topic: TOPIC, partition: 0 }]);
    produce('old', 'd');
    messages[3] = { ...messages[3]!, headers: { hit: messages[3]!.headers!['hit'] } };
    await fetchInto(copier, 3); // it finds that it is no longer as it read
    await fetchInto(copier, 2);
    expect(await stored()).toEqual(idsNamed('a', 'b', 'c', 'd'));
    const { rows } = await pool.query('select reason, messages, first_offset from intake_refused_messages');
    expect(rows).toEqual([{ reason: 'no tag', messages: '1', first_offset: '3' }]);
  });

  function newCopier(): PartitionCopier {
    const note = (details: object, text?: string) => {
      const { topic: _, partition: __, offset: ___, reason: ____, ...rest } = details as Record<string, unknown>;
      logged.push({ text: text ?? '', ...rest });
    };
    return new PartitionCopier({
      pool,
      topic: TOPIC,
      tags,
      partition: 0,
      partitions: 1,
      watermarks: () => Promise.resolve({ partition: 0, low, high: messages.length }),
      logger: { info: note, warn: note, error: note } as never, // a logger has more signatures
      onCopied: (more) => {
        counts = {
          stored: counts.stored + more.stored,
          duplicates: counts.duplicates + more.duplicates,
          refused: counts.refused + more.refused,
        };
      },
    });
  }

  /** Hands over what a fetch from an offset brings; answers what the copier asks for. */
  async function fetchInto(copier: PartitionCopier, from: number, all = messages) {
    const asked: { seek?: number; paused?: boolean } = {};
    const some = all.filter(({ offset }) => Number(offset) >= Math.max(from, low));
    const batch: TopicBatch = {
      partition: 0,
      fetchedOffset: from,
      messages: some,
      lastOffset: Number(some.at(-1)?.offset ?? from),
      done: () => undefined,
      seek: (offset) => (asked.seek = offset),
      pause: () => (asked.paused = true),
      heartbeat: () => Promise.resolve(),
      isStale: () => false,
    };
    await copier.copy(batch);
    return asked;
  }

  it('keeps the traces of new hits beside the log', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    produce('a');
    put({ ...hit('b', { dedupe: 'never' }), trace: traceparent }, 1);
    await fetchInto(newCopier(), 0);
    const wanted = { partition: 0, after: '', upTo: '1', types: [hit('b').event.type], limit: 9 };
    expect(await readHitTraces(pool, wanted)).toEqual([traceparent]);
    expect(await readHitTraces(pool, { ...wanted, after: '1', upTo: '2' })).toEqual([]);
    expect(await readHitTraces(pool, { ...wanted, types: ['LinkClicked'] })).toEqual([]);
    await dropHitTraces(pool, new Date(Date.now() + 2 * DAY_MS));
    expect(await readHitTraces(pool, wanted)).toEqual([]);
  });

  it('keeps the offset with the segments', async () => {
    produce('a', 'b');
    await fetchInto(newCopier(), 0);
    expect(await readCopied(pool, { topic: TOPIC, partition: 0 })).toMatchObject({
      next: 2,
      senders: { tracker: [1, expect.any(Number)] },
    });
  });
});
