import { encodeRollupPart } from '@ledgerline/aggregation/rollup-codec';
import { layoutOf } from '@ledgerline/aggregation/rollup-part';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { DAY, startQueryApi, type QueryApi } from '@test/query/query-api';

const RANGE = { startDate: DAY, endDate: DAY };
/** Another zone than the website's: the facts that the test adds are in no kept count. */
const FACTS = { ...RANGE, timezone: 'Europe/Berlin' };

describe('CSV', () => {
  it('with a limit or a page has the rows that are asked for, and how many there are', async () => {
    for (const asked of [{ limit: 3 }, { page: 2 }, { parameters: [{ name: 'top_pages', limit: 3 }] }]) {
      const { lines, headers } = await csv({ parameters: ['top_pages'], ...RANGE, ...asked });
      expect(lines).toHaveLength('page' in asked ? 53 : 4);
      expect(headers).toMatchObject({ 'x-total-rows': '152' });
      expect(headers).not.toHaveProperty('x-truncated');
    }
  });

  it('says how many rows a minimum leaves out', async () => {
    const { lines, headers } = await csv({ parameters: ['frustration_by_page'], ...RANGE });
    expect(lines).toHaveLength(1);
    expect(headers).toMatchObject({ 'x-total-rows': '0', 'x-hidden-rows': '152' });
  });

  it('is of one type', async () => {
    const several = [{ parameters: ['top_pages', 'city'] }, [{ parameters: ['top_pages'] }, { parameters: ['city'] }]];
    for (const body of several) expect((await on.question(body, '', { accept: 'text/csv' })).status).toBe(400);
  });

  it('is named after the website, the type and its own range', async () => {
    const last = '2026-03-03';
    const own = { parameters: [{ name: 'top_pages', startDate: DAY, endDate: last }], ...RANGE };
    for (const [body, name] of [
      [{ parameters: ['top_pages'], ...RANGE }, `Shop_top_pages_${DAY}`],
      [own, `Shop_top_pages_${DAY}_${last}`],
    ] as const) {
      const { headers } = await on.question(body, '', { accept: 'text/html;q=0.9, text/csv' });
      expect(headers['content-disposition']).toContain(`filename="${name}.csv"`);
    }
  });

  it('is not sent where JSON is preferred', async () => {
    const accept = 'text/csv;q=0.5, application/json';
    const { headers } = await on.question({ parameters: ['top_pages'], ...RANGE }, '', { accept });
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers).not.toHaveProperty('content-disposition');
  });
});

describe('CSV without a limit', () => {
  it('has every row, and none twice', async () => {
    const { lines, headers } = await csv({ parameters: ['top_pages'], ...RANGE });
    expect(new Set(lines).size).toBe(1 + 2 + 150);
    expect(headers).toMatchObject({ 'x-total-rows': '152' });
    expect(headers).not.toHaveProperty('x-truncated');
  });

  it('has single events newest first, over several readings', async () => {
    await addEvents(20_050, 'short');
    const { lines, headers } = await csv({ parameters: ['custom_events_recent'], ...FACTS });
    const times = lines.slice(1).map((line) => /\d{4}-\d\d-\d\dT.*Z$/.exec(line)?.[0]);
    expect(times).toEqual([...new Set(times)].sort().reverse());
    expect([times.length, headers['x-total-rows'], headers['x-truncated']]).toEqual([20_050, '20050', undefined]);
  });

  it('ends where a response does, and says so', async () => {
    await addEvents(9_000, 'x'.repeat(4_000));
    const { lines, headers } = await csv({ parameters: ['custom_events_recent'], ...FACTS });
    expect(lines.length).toBeGreaterThan(7_000);
    expect(lines.at(-1)).toBe(
      `# Not whole: ${lines.length - 2} of 29050 rows. Ask for a shorter range or with filters.`,
    );
    expect(headers).toMatchObject({ 'x-truncated': 'true' });
  });

  it('says in a header and in its last line that it is not whole', async () => {
    await addPages(100_000);
    const { lines, headers } = await csv({ parameters: ['top_pages'], ...RANGE });
    expect(lines).toHaveLength(1 + 100_000 + 1);
    expect(lines.at(-1)).toBe('# Not whole: 100000 of 100152 rows. Ask for a shorter range or with filters.');
    expect(headers).toMatchObject({ 'x-total-rows': '100152', 'x-truncated': 'true' });
  });
});

async function csv(body: object) {
  const { text, headers, status } = await on.question(body, '', { accept: 'text/csv' });
  expect(status).toBe(200);
  return { headers, lines: text.trimEnd().split('\r\n') };
}

let on: QueryApi;
let write: (statement: Sql) => Promise<unknown>;
let close: () => Promise<void>;
beforeAll(async () => {
  on = await startQueryApi({ ANSWER_CACHE_MB: '0' });
  const pool = openPool({ url: on.api.settings.databaseUrl, name: 'spec', max: 1 });
  write = (statement) => run(pool, statement);
  close = () => pool.end();
  await addPages(150);
});
afterAll(async () => {
  await close();
  await on.close();
});

/** Pages of one view each, beside those that are there. */
async function addPages(pages: number): Promise<void> {
  const added = (await write(sql`
    insert into dictionary (scope, hash, text)
    select website, gen_random_uuid(), '/' || ${pages}::text || '/' || n
    from (select website from websites_v1.sessions limit 1) known, generate_series(1, ${pages}::int) n
    returning scope as website, id`)) as readonly { readonly website: number; readonly id: number }[];
  const day = dayNumber(DAY);
  const every = (value: number) => new Int32Array(pages).fill(value);
  const columns = [every(day), Int32Array.from(added, ({ id }) => id), every(1), every(1), every(0), every(1)];
  const pack = Buffer.from(encodeRollupPart(layoutOf(rollupNamed('pages')), { size: pages, columns }));
  await write(sql`
    insert into websites_v1.website_rollups (website, number, since, until, size, ${identifier(rollupNamed('pages').name)})
    values (${added[0]?.website}, ${pages}, ${day}, ${day}, ${pack.length}, ${pack})`);
}

/** Events without a visitor, a millisecond apart. */
const addEvents = (events: number, note: string): Promise<unknown> =>
  write(sql`
    insert into websites_v1.custom_events (website, at, id, actor, name, path, hostname, properties)
    select website, ${DAY}::date + interval '12 hours' + (n + ${note.length * 100}) * interval '1 ms', gen_random_uuid(),
      gen_random_uuid(), 0, 0, 0, jsonb_build_object('note', ${note}::text)
    from generate_series(1, ${events}::int) n, (select website from websites_v1.sessions limit 1) known`);
