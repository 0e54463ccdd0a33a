import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { Pool } from 'pg';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { openPool, readTransaction, run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { ask } from '@test/api/ask';
import { DAY, startQueryApi, type QueryApi } from '@test/query/query-api';
import { waitUntil } from '@test/wait-until';
import { queryTypeNamed } from '../types/catalogue';
import { Audience, QueryDeadline } from './request-lifetime';
import { SnapshotRunner, AFTER_FAILURE, beginSnapshot } from './snapshot';

describe('a snapshot', () => {
  it('shows the same moment after a statement failed', async () => {
    const counts = await readTransaction(single, beginSnapshot(30_000), async (on) => {
      const before = await count(on);
      await run(other, sql`insert into things default values`);
      await run(on, sql`select 1 / 0`).catch(() => on.query(AFTER_FAILURE));
      return [before, await count(on)];
    });
    expect(counts).toEqual([0, 0]);
    expect(await count(other)).toBe(1);
  });

  it('ends a statement that takes longer than was left', async () => {
    const slow = readTransaction(single, beginSnapshot(10), (on) => run(on, sql`select pg_sleep(20)`));
    await expect(slow).rejects.toMatchObject({ code: '57014' });
  });

  it('writes nothing', async () => {
    const writes = readTransaction(single, beginSnapshot(30_000), (on) =>
      run(on, sql`insert into things default values`),
    );
    await expect(writes).rejects.toMatchObject({ code: '25006' });
  });
});

const count = async (on: Queryable): Promise<number | undefined> => {
  const [row] = await run<{ count: number }>(on, sql`select count(*)::int from things`);
  return row?.count;
};

describe('ten slow questions of one caller', () => {
  it('starve no other question, count, command or health check', async () => {
    const release = await hold();
    const slow = Array.from({ length: 10 }, () => on.question(TOP_PAGES));
    await running(4); // half of the connections; the others wait
    const { status, body } = await ask(on.api, `POST /v1/query?website_id=${on.owner.websiteId}`, {
      body: { parameters: ['summary_metrics'], ...RANGE, filters: [{ field: 'country', op: 'eq', value: 'DE' }] },
      headers: on.owner.headers,
    });
    expect([status, body.data]).toMatchObject([200, [{ success: true }]]);
    const link = { organizationId: on.owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
    expect((await ask(on.api, 'POST /v1/links', { body: link, headers: on.owner.headers })).status).toBe(201);
    expect((await ask(on.api, 'GET /v1/query/websites', { headers: { 'x-api-key': on.key } })).status).toBe(200);
    expect((await ask(on.api, 'GET /health/ready')).body).toMatchObject({ database: 'ok', eventStore: 'ok' });
    expect(await runningNow()).toBe(4);
    await release();
    for (const answer of await Promise.all(slow)) expect(answer.body.data).toMatchObject([{ success: true }]);
  });
});

describe('a question whose client goes away', () => {
  it('is ended in Postgres while it runs, and never begins while it waits', async () => {
    const { port } = on.api.app.getHttpServer().address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/query?website_id=${on.owner.websiteId}`;
    const headers = { 'x-api-key': on.key, 'content-type': 'application/json' };
    const release = await hold();
    const client = new AbortController();
    const asked = Array.from({ length: 6 }, () =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify(TOP_PAGES), signal: client.signal }),
    );
    await running(4);
    client.abort();
    for (const one of asked) await expect(one).rejects.toThrow('aborted');
    await running(0);
    await release();
    expect((await on.question(TOP_PAGES)).body.data).toMatchObject([{ success: true }]);
    expect(on.api.log.filter((line) => line.includes('an answer failed'))).toEqual([]);
  });
});

describe('a question whose turn does not come in half of its time', () => {
  it('is refused, so that those that begin have time to be answered', async () => {
    const runner = on.api.app.get(SnapshotRunner);
    const client = new AbortController().signal;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const before = Array.from({ length: 4 }, () => runner.read(questionOf(client), () => released));
    const asked = runner.read({ ...questionOf(client), deadline: deadlineIn(400) }, () => Promise.resolve());
    await expect(asked).rejects.toThrow('Too many queries are waiting');
    release();
    await Promise.all(before);
    expect(await runner.read(questionOf(client), () => Promise.resolve('answered'))).toBe('answered');
  });
});

describe('a question whose client went away before', () => {
  it('never begins', async () => {
    const question = questionOf(AbortSignal.abort());
    const work = jest.fn(() => Promise.resolve());
    await expect(on.api.app.get(SnapshotRunner).read(question, work)).rejects.toThrow('went away');
    expect(work).not.toHaveBeenCalled();
  });

  it('never begins either when it goes while a connection is opened', async () => {
    const client = new AbortController();
    const question = questionOf(client.signal);
    const work = jest.fn(() => Promise.resolve());
    const asked = on.api.app.get(SnapshotRunner).read(question, work);
    client.abort();
    await expect(asked).rejects.toThrow('went away');
    expect(work).not.toHaveBeenCalled();
  });
});

describe('a question whose client goes away between two statements', () => {
  it('is ended when the next one runs', async () => {
    const client = new AbortController();
    const question = questionOf(client.signal);
    const others = jest.spyOn(on.api.app.get(ReadStores).all[0]!.pool, 'query');
    const cancellations = () => others.mock.calls.filter(([statement]) => isCancellation(statement));
    let ended: unknown;
    const asked = on.api.app.get(SnapshotRunner).read(question, async ({ client: connection }) => {
      await connection.query('select 1');
      client.abort();
      await waitUntil(cancellations, ({ length }) => length > 1); // the first found nothing to end
      await connection.query('select pg_sleep(20)').catch((error: unknown) => (ended = error));
      throw new Error('is replaced');
    });
    await expect(asked).rejects.toThrow('went away');
    others.mockRestore();
    expect(ended).toMatchObject({ message: 'canceling statement due to user request' });
  });
});

describe('questions that Postgres ends', () => {
  it('are answered 503 and leave every connection usable', async () => {
    const ended = { facts: () => sql`select pg_cancel_backend(pg_backend_pid()), pg_sleep(20)` };
    const replaced = jest.replaceProperty(queryTypeNamed('recent_errors')!, 'sources', ended);
    const answers = await Promise.all(Array.from({ length: 20 }, () => on.question({ parameters: ['recent_errors'] })));
    replaced.restore();
    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
    }
    const after = await Promise.all(Array.from({ length: 20 }, () => on.question(TOP_PAGES)));
    for (const { body } of after) expect(body.data).toMatchObject([{ success: true }]);
  });
});

const questionOf = (client: AbortSignal) => ({
  caller: ANONYMOUS,
  target: { about: 'website' as const, id: 'site' },
  now: Date.now(),
  deadline: new QueryDeadline(),
  audience: new Audience(client),
  requestId: undefined,
});

/** Always with so many ms left. */
function deadlineIn(ms: number): QueryDeadline {
  let now = 0;
  const deadline = new QueryDeadline(() => now);
  now = deadline.left() - ms;
  return deadline;
}

const isCancellation = (statement: unknown) => inspect(statement).includes('pg_cancel_backend');

const RANGE = { startDate: DAY, endDate: DAY };
const TOP_PAGES = { parameters: ['top_pages'], ...RANGE };

let on: QueryApi;
let other: Pool;
let single: Pool;
beforeAll(async () => {
  on = await startQueryApi({ ANSWER_CACHE_MB: '0' });
  const url = on.api.settings.databaseUrl;
  other = openPool({ url, name: 'spec', max: 2 });
  single = openPool({ url, name: 'spec', max: 1, pipeline: true });
  await run(other, sql`create table things ()`);
});
afterAll(async () => {
  await Promise.all([single.end(), other.end()]);
  await on.close();
});

/** Locks the table of pages, so that questions about it wait. */
async function hold(): Promise<() => Promise<void>> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let holding: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    holding = transaction(other, async (client) => {
      await run(client, sql`lock table websites_v1.website_rollups in access exclusive mode`);
      resolve();
      await released;
    });
  });
  return async () => {
    release();
    await holding;
  };
}

async function runningNow(): Promise<number> {
  const [row] = await run<{ questions: number }>(
    other,
    sql`select count(*)::int as questions from pg_stat_activity
      where datname = current_database() and application_name = 'ledgerline-api-query' and state = 'active'`,
  );
  return row?.questions ?? NaN;
}

const running = (wanted: number) => waitUntil(runningNow, (count) => count === wanted);
