import type { Pool, PoolClient } from 'pg';
import { forgeSegment } from '@test/intake-log/forge-segment';
import { hit, idsOf, readAll } from '@test/intake-log/hits.fixture';
import { proxyTo } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openPool } from '../database/pool';
import { LogUnavailable } from '../log/log-reader';
import { encodeHit } from './encoded-hit';
import { HitSender } from './hit-sender';
import type { IntakeItem, IntakeLog } from './intake-log';
import { openIntakeLog } from './postgres-intake-log';

describe('sending', () => {
  let database: TestDatabase;
  let log: IntakeLog;
  let pool: Pool;
  const options = { lingerMs: 0, maxFlush: 100, maxPendingBytes: 1_000, retryForMs: 60_000 };
  const soon = { ...options, retryForMs: 300 };
  const encoded = (...hits: IntakeItem[]) => hits.map((one) => encodeHit(one, 1));

  beforeEach(async () => {
    database = await createTestDatabase();
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1, retryForMs: 60_000 });
    pool = openPool({ url: database.url, name: 'spec', max: 2, lockTimeoutMs: 200 });
  });
  afterEach(async () => {
    await log.close();
    await pool.end();
    await database.drop();
  });

  /** Returns a pool whose connections break at the first commit: after it has happened, or instead of it. */
  function breakingAtCommit(commits: boolean): Pool {
    let broken = false;
    const breaking = (client: PoolClient) => {
      const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
      client.query = (async (text: unknown, values?: unknown[]) => {
        if (text !== 'commit' || broken) return query(text, values);
        broken = true;
        await query(commits ? 'commit' : 'rollback');
        throw new Error('Connection terminated unexpectedly');
      }) as typeof client.query;
      return client;
    };
    return Object.assign(Object.create(pool) as Pool, { connect: async () => breaking(await pool.connect()) });
  }

  it.each([true, false])('finds out whether a commit in doubt happened (%s)', async (happened) => {
    const sender = new HitSender(breakingAtCommit(happened), options);
    const result = await sender.send(encoded(hit('a', { dedupe: 'never' }), hit('b'), hit('b')));
    expect(result.outcomes).toEqual(['stored', 'stored', 'duplicate']);
    expect(result.positions.get(0)).toBe('1');
    expect(await readAll(log)).toHaveLength(2);
  });

  it('does not know its outcome where the server is lost for good at the commit', async () => {
    const breaking = breakingAtCommit(false);
    const connect = breaking.connect.bind(breaking);
    let connections = 0;
    breaking.connect = (() =>
      connections++ === 0
        ? connect()
        : Promise.reject(new Error('Connection terminated unexpectedly'))) as typeof breaking.connect;
    await expect(new HitSender(breaking, soon).send(encoded(hit('a')))).rejects.toMatchObject({
      name: 'OutcomeUnknown',
    });
  });

  it('is refused as unavailable where a forged segment is in the way, in that partition alone', async () => {
    await pool.query('insert into intake_heads (partition) values (1)');
    await forgeSegment(pool, 0, 0, [hit('forged')]);
    const sender = new HitSender(pool, options);
    const one = encodeHit(hit('a'), 1);
    const other = { ...encodeHit(hit('b'), 1), partition: 1 };
    const refused = expect(sender.send([one])).rejects.toMatchObject({
      name: 'LogUnavailable',
      message:
        'The intake log is not what was written: a segment lies above the head. Key (partition, first_offset)=(0, 0) already exists.',
    });
    expect((await sender.send([other])).outcomes).toEqual(['stored']);
    await refused;
    await pool.query('delete from intake_segments where partition = 0');
    expect((await sender.send([one, other])).outcomes).toEqual(['stored', 'duplicate']);
  });

  it('is refused as unavailable, soon and for all who wait, while the log is locked or away', async () => {
    const blocker = await pool.connect();
    await blocker.query('begin; lock table intake_heads');
    const sender = new HitSender(pool, soon);
    const waiting = [sender.send(encoded(hit('a'))), sender.send(encoded(hit('b')))];
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(LogUnavailable) as unknown });
    await blocker.query('rollback');
    blocker.release();
    expect((await sender.send(encoded(hit('a')))).outcomes).toEqual(['stored']);
    expect(await readAll(log)).toHaveLength(1);
  });

  it('is refused while the server does not respond, and works when it responds again', async () => {
    const server = new URL(database.url);
    const proxy = await proxyTo(server.hostname, Number(server.port));
    const url = Object.assign(server, { host: `127.0.0.1:${proxy.port}` }).href;
    const proxied = openPool({ url, name: 'spec', max: 2, queryTimeoutMs: 200 });
    const sender = new HitSender(proxied, options);
    await sender.send(encoded(hit('a')));
    proxy.swallow();
    await expect(new HitSender(proxied, soon).send(encoded(hit('b')))).rejects.toThrow(LogUnavailable);
    proxy.cut();
    await proxy.mend();
    await sender.send(encoded(hit('b')));
    expect(await readAll(log)).toHaveLength(2);
    await proxied.end();
    await proxy.close();
  });

  it('is refused when no server listens at the address', async () => {
    const away = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'spec', max: 1 });
    await expect(new HitSender(away, soon).send(encoded(hit('a')))).rejects.toThrow(LogUnavailable);
    await away.end();
  });

  it('is refused at once when too much waits', async () => {
    const sender = new HitSender(pool, { ...options, maxPendingBytes: 400 });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => sender.send(encoded(hit(`${n}`)))));
    const refused = outcomes.filter(({ status }) => status === 'rejected').length;
    expect(refused).toBeGreaterThan(0);
    expect(await readAll(log)).toHaveLength(5 - refused);
  });

  it('lets a bad hit fail alone', async () => {
    const bad = { ...hit('bad'), event: { ...hit('bad').event, id: 'not an id' } };
    const outcomes = await Promise.allSettled([log.send([hit('a')]), log.send([hit('b'), bad]), log.send([hit('c')])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await readAll(log)).toHaveLength(2);
  });

  it('isolates hits that Postgres refuses: every other call is stored, once, and in its order', async () => {
    const sender = new HitSender(pool, { ...options, maxPendingBytes: 1_000_000 });
    const isBad = (call: number) => call === 7 || call === 20;
    const calls = Array.from({ length: 40 }, (_, call) => [
      hit(`${call}-a`),
      hit(`${call}-b`, isBad(call) ? { type: 'Page\u0000Left', dedupe: 'never' } : {}),
    ]);
    const outcomes = await Promise.allSettled(calls.map((hits) => sender.send(encoded(...hits))));
    for (const [call, outcome] of outcomes.entries())
      expect(outcome).toMatchObject(
        isBad(call)
          ? { status: 'rejected', reason: { code: '22021' } }
          : { status: 'fulfilled', value: { outcomes: ['stored', 'stored'] } },
      );
    const good = calls.filter((_, call) => !isBad(call)).flat();
    expect(idsOf(await readAll(log))).toEqual(good.map(({ event }) => event.id));
    expect((await sender.send(encoded(hit('7-a')))).outcomes).toEqual(['stored']);
  });

  it('isolates one failing call whatever the failure is, where it is none of the connection', async () => {
    let flushes = 0;
    const failing = (client: PoolClient) => {
      const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
      client.query = (async (text: { name?: string; values?: unknown[] }, values?: unknown[]) => {
        if (text.name !== 'intake_store') return query(text, values);
        flushes++;
        if (String(text.values?.[5]).includes('Bad')) throw new TypeError('a slip');
        return query(text, values);
      }) as typeof client.query;
      return client;
    };
    const connect = async () => failing(await pool.connect());
    const sender = new HitSender(Object.assign(Object.create(pool) as Pool, { connect }), options);
    const bad = hit('bad', { type: 'Bad' });
    const outcomes = await Promise.allSettled([hit('a'), bad, hit('b')].map((one) => sender.send(encoded(one))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(idsOf(await readAll(log))).toEqual([hit('a').event.id, hit('b').event.id]);
    expect(flushes).toBe(5); // all, the first half, its two calls, the second half
  });

  it('finishes what waits before it closes, and takes nothing afterwards', async () => {
    const closing = await openIntakeLog({ databaseUrl: database.url });
    const sending = closing.send([hit('a')]);
    await closing.close();
    expect((await sending).outcomes).toEqual(['stored']);
    await expect(closing.send([hit('b')])).rejects.toThrow(LogUnavailable);
  });
});
