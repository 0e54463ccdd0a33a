import type { AddressInfo } from 'node:net';
import type { Pool } from 'pg';
import { openPool, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { pageView } from '@test/events/observed-events';
import { DAY, rowsOf, startQueryApi, timelessMeta, type QueryApi } from '@test/query/query-api';
import { queryContext } from '@test/query/sql-database';
import { waitUntil } from '@test/wait-until';
import { QueryRunner, RunQuery } from '../execution/query-runner';
import { CATALOGUE } from '../types/catalogue';
import { AnswerCache, isSteady, type Computed } from './answer-cache';
import { Audience } from './request-lifetime';

describe('an answer', () => {
  it('is kept, but for types about these minutes and those with keys of profiles, until a hit arrives', async () => {
    const parameters = ['summary_metrics', 'top_pages', 'active_stats', 'profile_list', 'country'];
    const before = await executions();
    const answers = [await on.question({ parameters, ...RANGE }), await on.question({ parameters, ...RANGE })];
    expect(answers[1]!.body.data).toEqual(answers[0]!.body.data);
    expect(await executionsSince(before)).toEqual({
      summary_metrics: 1,
      top_pages: 1,
      country: 1,
      active_stats: 2,
      profile_list: 2,
    });
    await on.send([pageView(Date.parse(`${DAY}T11:00:00Z`), { websiteId: on.owner.websiteId, path: '/late' })]);
    const late = await on.question({ parameters: ['top_pages'], ...RANGE });
    expect(rowsOf(late).map(({ name }) => name)).toContain('/late');
  });

  it('that has no rows is kept with what its filters match, and the notes on them', async () => {
    const body = {
      parameters: ['top_pages'],
      filters: [{ field: 'country', op: 'eq', value: 'Deutschland' }],
      ...RANGE,
    };
    const first = await on.question(body);
    const before = await executions();
    const second = await on.question(body);
    expect(await executionsSince(before)).toEqual({});
    expect(second.body.meta).toMatchObject({ notes: [expect.stringContaining('"DE"') as string], filters_applied: 1 });
    expect([second.body.data, timelessMeta(second)]).toEqual([first.body.data, timelessMeta(first)]);
  });

  it('about what goes on after its range is kept for a quarter of an hour, and for good when it is over', async () => {
    const steps = [{ condition: { kind: 'page' } }, { condition: { kind: 'event' } }];
    const funnel = { steps, window: '1d' };
    const parameters = [
      { name: 'funnel', funnel },
      { name: 'funnel_by_day', funnel },
    ];
    const body = { parameters, ...RANGE };
    const target = { website_id: on.owner.websiteId };
    const openAt = async (time: string) => {
      const caller = { kind: 'user' as const, id: on.owner.id, roles: OWNER() };
      const query = new RunQuery({ caller, params: target, body, now: Date.parse(time) });
      const [answer] = await on.api.app.get(QueryRunner).execute(query);
      return answer!.meta.notes.some((note) => note.includes('may still go on'));
    };
    const before = await executions();
    const times = ['03T00:10', '03T10:59', '03T11:14', '03T11:15', '03T10:50', '04T00:00', '05T00:00'];
    const open: boolean[] = [];
    for (const time of times) open.push(await openAt(`2026-03-${time}:00Z`));
    expect(open).toEqual([true, true, true, false, true, false, false]);
    expect(await executionsSince(before)).toEqual({ funnel: 5, funnel_by_day: 5 });
  });

  it('is not kept when an entry fails', async () => {
    const body = { parameters: ['entry_pages', { name: 'top_pages', minSamples: 1 }], ...RANGE };
    const before = await executions();
    for (let time = 0; time < 2; time++)
      expect((await on.question(body)).body.data).toMatchObject([{ success: true }, { success: false }]);
    expect(await executionsSince(before)).toEqual({ entry_pages: 2 });
  });

  it('tells in metrics what was kept', async () => {
    const metrics = await on.api.app.get(Metrics).text();
    expect(metrics).toMatch(/^ledgerline_answer_cache_bytes [1-9]/m);
    expect(metrics).toMatch(/^ledgerline_answer_cache_reads_total\{result="hit"\} [1-9]/m);
    expect(metrics).toMatch(/^ledgerline_answer_cache_reads_total\{result="miss"\} [1-9]/m);
  });
});

describe('equal questions at the same time', () => {
  it('are computed once, of one caller and of several', async () => {
    const before = await executions();
    const body = { parameters: ['top_pages', 'country'], filters: [PATH], ...RANGE };
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, at) => on.question(body, '', at % 2 ? { 'x-api-key': on.key } : on.owner.headers)),
    );
    expect(new Set(asked.map(({ body: { data } }) => JSON.stringify(data))).size).toBe(1);
    expect(await executionsSince(before)).toEqual({ top_pages: 1, country: 1 });
  });

  it('are answered when the client goes away whose question is computed', async () => {
    const { release, before, ask } = await held('exit_pages');
    const joins = jest.spyOn(Audience.prototype, 'join');
    const first = new AbortController();
    const second = new AbortController();
    const asked = ask(first.signal);
    const waiting = ask(second.signal);
    await running(1, 1);
    await waitUntil(() => joins.mock.calls.length === 3); // each its own, and one that of the other
    joins.mockRestore();
    first.abort();
    await expect(asked).rejects.toThrow('aborted');
    await release();
    const { data } = (await (await waiting).json()) as { data: unknown };
    expect(data).toMatchObject([{ success: true, data: [{}, {}, {}] }]);
    expect(await executionsSince(before)).toEqual({ exit_pages: 1 });
  });

  it('are ended in Postgres when the last of their clients has gone', async () => {
    const { release, ask } = await held('entry_pages');
    const clients = [new AbortController(), new AbortController()];
    const asked = clients.map(({ signal }) => ask(signal));
    await running(1, 1);
    for (const [at, client] of clients.entries()) {
      client.abort();
      await expect(asked[at]).rejects.toThrow('aborted');
    }
    await running(0, 0);
    await release();
  });
});

describe('a cache of answers', () => {
  const asking = () => ({ audience: new Audience(new AbortController().signal), deadline: { left: () => 1_000 } });
  const part = (value: string, more: Partial<Computed<string>> = {}) => ({
    value,
    bytes: 10,
    isCacheable: true,
    ...more,
  });
  const open = (answerCacheMb = 1) => new AnswerCache({ answerCacheMb }, new Metrics());

  it('shares no failure: who waited for it computes it', async () => {
    const cache = open();
    let fail: (error: Error) => void = () => undefined;
    const failing = cache.find('a', asking(), () => new Promise<never>((_, reject) => (fail = reject)));
    const waiting = ['b', 'c'].map((value) => cache.find('a', asking(), () => Promise.resolve(part(value))));
    fail(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    expect(await Promise.all(waiting)).toEqual(['b', 'c']);
  });

  it('computes nothing for who goes away while another computes it', async () => {
    const cache = open();
    const client = new AbortController();
    const gone = { ...asking(), audience: new Audience(client.signal) };
    void cache.find('a', asking(), () => new Promise<never>(() => undefined));
    const compute = jest.fn(() => Promise.resolve(part('own')));
    const waiting = cache.find('a', gone, compute);
    client.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(compute).not.toHaveBeenCalled();
  });

  it('lets nobody wait longer than he has time', async () => {
    const cache = open();
    let finish: (found: Computed<string>) => void = () => undefined;
    const slow = cache.find('a', asking(), () => new Promise<Computed<string>>((resolve) => (finish = resolve)));
    const hurried = { ...asking(), deadline: { left: () => 5 } };
    expect(await cache.find('a', hurried, () => Promise.resolve(part('own')))).toBe('own');
    finish(part('slow'));
    expect(await slow).toBe('slow');
  });

  it('keeps nothing that is larger than an eighth of it, that does not fit, or when it is off', async () => {
    const cache = open();
    const find = (key: string, bytes: number, fits?: () => boolean) =>
      cache.find(key, asking(), () => Promise.resolve(part(key, { bytes })), fits);
    await find('large', 200_000);
    await find('small', 1_000);
    await find('small', 1_000, () => false);
    expect(cache).toMatchObject({ size: 2_512, hits: 0, misses: 3 });
    for (let at = 0; at < 100; at++) await find(`part ${at}`, 50_000);
    expect(cache.size).toBeGreaterThan(900_000);
    expect(cache.size).toBeLessThanOrEqual(1024 * 1024);
    const off = open(0);
    expect(await off.find('a', asking(), () => Promise.resolve(part('a')))).toBe('a');
    expect(off).toMatchObject({ size: 0, hits: 0, misses: 0 });
  });
});

describe('the SQL of a type that is kept', () => {
  it('does not depend on the minute', () => {
    const now = Date.parse('2026-03-04T12:00:00Z');
    const moving = CATALOGUE.filter((type) => {
      const given = { filters: type.takes.ids.map((field) => ({ field, values: ['a'], negated: false })) };
      const at = (time: number) => {
        const context = queryContext({ ...given, now: time });
        const { facts, fifteenMinutes, singles } = type.sources;
        return JSON.stringify([facts, fifteenMinutes, singles?.countRows].map((render) => render?.(context)));
      };
      return at(now) !== at(now + 60_000);
    });
    expect(moving.length).toBeGreaterThan(4);
    expect(moving.filter((type) => isSteady(type))).toEqual([]);
  });
});

const OWNER = () => new Map([[on.owner.organizationId, 'owner' as const]]);
const RANGE = { startDate: DAY, endDate: DAY };
const PATH = { field: 'path', op: 'ne', value: '/none' };

let on: QueryApi;
let other: Pool;
beforeAll(async () => {
  on = await startQueryApi();
  other = openPool({ url: on.api.settings.databaseUrl, name: 'spec', max: 2 });
});
afterAll(async () => {
  await other.end();
  await on.close();
});

/** Returns how often each type was executed. */
async function executions(): Promise<Readonly<Record<string, number>>> {
  const families = await on.api.app.get(Metrics).families();
  const plans = families.find(({ name }) => name === 'ledgerline_query_plans_total')?.values ?? [];
  const counts: Record<string, number> = {};
  for (const { labels, value } of plans) counts[String(labels['type'])] = (counts[String(labels['type'])] ?? 0) + value;
  return counts;
}

async function executionsSince(before: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>> {
  const since = Object.entries(await executions()).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(since.filter(([, count]) => count > 0));
}

/** A question about kept counts, whose table is locked until it is released. */
async function held(type: 'entry_pages' | 'exit_pages') {
  const [released, release] = settled();
  const [isHeld, hold] = settled();
  const holding = transaction(other, async (client) => {
    await run(client, { text: 'lock table websites_v1.website_rollups in access exclusive mode', values: [] });
    hold();
    await released;
  });
  await isHeld;
  const { port } = on.api.app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1/query?website_id=${on.owner.websiteId}`;
  const headers = { 'x-api-key': on.key, 'content-type': 'application/json', connection: 'close' };
  const body = JSON.stringify({ parameters: [type], ...RANGE });
  return {
    before: await executions(),
    ask: (signal: AbortSignal) => fetch(url, { method: 'POST', headers, body, signal }),
    release: async () => {
      release();
      await holding;
    },
  };
}

function settled(): [Promise<void>, () => void] {
  let settle: () => void = () => undefined;
  return [new Promise<void>((resolve) => (settle = resolve)), () => settle()];
}

/** Waits until so many questions run in Postgres, and so many others wait in their snapshots. */
const running = (active: number, idle: number) =>
  waitUntil(
    () =>
      run<{ active: number; idle: number }>(
        other,
        sql`select count(*) filter (where state = 'active')::int as active,
            count(*) filter (where state = 'idle in transaction')::int as idle
          from pg_stat_activity where datname = current_database() and application_name = 'ledgerline-api-query'`,
      ),
    ([row]) => row?.active === active && row.idle === idle,
  );
