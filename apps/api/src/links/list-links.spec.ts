import type { Pool } from 'pg';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { EVENT_STORE, POOL } from '../tokens';
import type { LinkPageDto } from './list-links.dto';

describe('the list of links', () => {
  it('is an organization’s, newest first, in pages', async () => {
    expect(await list('')).toEqual({ names: ['q_q', 'b', 'A'], total: 3, totalIsExact: true });
    expect(await list('&limit=2&page=2')).toEqual({ names: ['A'], total: 3, totalIsExact: true });
    expect(await list('&limit=2&page=9')).toEqual({ names: [], total: 3, totalIsExact: true });
  });

  it('is sorted by time and name, in either direction', async () => {
    const sorted = async (sort: string) => (await list(`&sort=${sort}`)).names;
    expect(await sorted('createdAt')).toEqual(['A', 'b', 'q_q']);
    expect(await sorted('name')).toEqual(['A', 'b', 'q_q']);
    expect(await sorted('-name')).toEqual(['q_q', 'b', 'A']);
    expect(await sorted('updatedAt')).toEqual(['b', 'q_q', 'A']);
    expect(await sorted('-updatedAt')).toEqual(['A', 'q_q', 'b']);
  });

  it('is walked by cursors in every order, with and without filters', async () => {
    for (const sort of ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt', 'name', '-name'])
      for (const filter of ['', '&search=example'])
        expect(await walk(`&sort=${sort}${filter}`)).toEqual((await list(`&sort=${sort}${filter}`)).names);
    const { nextCursor } = (await page('&limit=1')).body;
    for (const wrong of [`&sort=name&cursor=${nextCursor}`, '&cursor=x', '&cursor=WyJuYW1lIl0'])
      expect((await page(wrong)).body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'cursor' }] });
    for (const time of NO_TIMES) {
      const cursor = Buffer.from(JSON.stringify(['createdAt', time, 'link_1'])).toString('base64url');
      const { status, body } = await page(`&sort=createdAt&cursor=${cursor}`);
      expect([time, status]).toEqual([time, 400]);
      expect(body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'cursor' }] });
    }
  });

  it('is filtered by external id and by words, in which nothing is a wildcard', async () => {
    const found = async (filter: string) => (await list(filter)).names;
    expect(await found('&externalId=partner')).toEqual(['b']);
    expect(await found('&externalId=part')).toEqual([]);
    expect(await found('&search=Q_')).toEqual(['q_q']);
    for (const nothing of ['%25', '_', '*']) expect(await found(`&search=${nothing}`)).toEqual([]);
    expect(await found('&externalId=partner&search=a')).toEqual([]);
  });

  it('says that its table is being rebuilt while that has another declaration', async () => {
    const pool = api.app.get<Pool>(POOL);
    const place = (tables: string) =>
      pool.query(`update projection_groups set tables = $1, layout = gen_random_uuid() where name = 'registry'`, [
        tables,
      ]);
    await place('{"links": {"pending": 2, "isFrozen": true}}');
    const { status, body, headers } = await page('');
    await place('{}');
    expect([status, body]).toMatchObject([503, { code: 'REBUILDING' }]);
    expect(headers['retry-after']).toBe('5');
    expect((await page('')).status).toBe(200);
  });

  it.each([
    ['a slug', 'Spring-26', ['A']],
    ['words in any order and case, and the beginning of another', '26 Example SPR', ['A']],
    ['the beginnings of two words', 'SPR exam', []],
    ['a destination', 'https://example.com/gr%C3%B6%C3%9Fe', ['b']],
    ['a word of a destination as it reads', 'größe', ['b']],
    ['the middle of a word', 'pring', []],
    ['quotes and operators', `a' | 'b & !c:* \\`, []],
  ])('is searched for %s', async (_, search, names) => {
    expect((await list(`&search=${encodeURIComponent(search)}`)).names).toEqual(names);
  });

  it('holds what is changed and deleted, and no links of others', async () => {
    const stranger = await ownerWithWebsite(api);
    const of = (owner: Owner, filter = '') =>
      ask(api, `GET /v1/links?organizationId=${owner.organizationId}${filter}`, owner);
    const first = await create(stranger, { name: 'First' });
    await create(stranger, { name: 'Second', slug: 'Second-one' });
    await ask(api, `DELETE /v1/links/${first}`, stranger);
    await projector.catchUp();
    expect((await of(stranger)).body).toMatchObject({ total: 1, data: [{ name: 'Second' }] });
    expect((await of(stranger, '&search=second')).body).toMatchObject({ total: 1 });
    expect((await of(stranger, '&search=first')).body).toMatchObject({ total: 0 });
    expect((await of(owner, '&search=second')).body).toMatchObject({ total: 0 });
  });

  it('includes a write whose position is sent, and says when it does not', async () => {
    const { headers } = await ask(api, 'POST /v1/links', {
      body: { organizationId: late.organizationId, name: 'Late', targetUrl },
      headers: late.headers,
    });
    const asked = { headers: { ...late.headers, 'x-min-position': headers['x-log-position']! } };
    const path = `GET /v1/links?organizationId=${late.organizationId}` as const;
    const [answer] = await Promise.all([ask(api, path, asked), projector.catchUp()]);
    expect(answer.body).toMatchObject({ total: 1, data: [{ name: 'Late' }] });
    expect(answer.body).not.toHaveProperty('notes');
    jest.spyOn(api.app.get<EventStore>(EVENT_STORE), 'compare').mockReturnValue(-1);
    const stale = await ask(api, path, asked);
    jest.restoreAllMocks();
    expect(stale.body).toMatchObject({ total: 1, notes: [expect.stringContaining('X-Min-Position')] });
  });

  it('names wrong parameters', async () => {
    const { status, body } = await page('&limit=0&page=x&sort=size&colour=red');
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(new Set(['limit', 'page', 'sort', 'colour']));
    expect(fieldsOf((await page('&page=52&limit=200')).body)).toEqual(new Set(['page']));
    expect((await page('&page=51&limit=200')).status).toBe(200);
  });
});

/** Dates to JavaScript, and none that Postgres has, or none that a page ends with. */
const NO_TIMES = ['0', '2026', '2026-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'];

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let late: Owner;

const targetUrl = 'https://example.com/';
const fieldsOf = (body: object) =>
  new Set((body as { details: { field: string }[] }).details.map(({ field }) => field));

async function page(more: string) {
  const answer = await ask(api, `GET /v1/links?organizationId=${owner.organizationId}${more}`, owner);
  return { ...answer, body: answer.body as unknown as LinkPageDto }; // compared with its schema by the test api
}

async function list(more: string) {
  const { data, total, totalIsExact } = (await page(more)).body;
  return { names: data.map(({ name }) => name), total, totalIsExact };
}

/** The names of pages of one link each. */
async function walk(more: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data, nextCursor } = (await page(`${more}&limit=1${from}`)).body;
    names.push(...data.map(({ name }) => name));
    cursor = nextCursor;
  }
  return names;
}

async function create({ organizationId, headers }: Owner, details: object): Promise<string> {
  const answer = await ask(api, 'POST /v1/links', { body: { organizationId, targetUrl, ...details }, headers });
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  late = await ownerWithWebsite(api);
  const first = await create(owner, { name: 'A', slug: 'Spring-26' });
  await create(owner, { name: 'b', externalId: 'partner', targetUrl: 'https://example.com/größe' });
  await create(owner, { name: 'q_q' });
  await ask(api, `PATCH /v1/links/${first}`, { body: { ogTitle: 'Title' }, headers: owner.headers });
  await projector.catchUp();
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
