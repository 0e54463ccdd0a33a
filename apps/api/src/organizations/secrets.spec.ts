import type { Pool } from 'pg';
import { ask, type Answer } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';
import { OrphanedSecrets } from './api-keys';

describe('the secret of an API key', () => {
  it('is in one answer, once, and nowhere else: no event, table, log line, header or error', async () => {
    const once = { ...owner.headers, 'idempotency-key': 'once' };
    const { organizationId } = owner;
    const body = { organizationId, name: 'Hidden', scopes: ['read:data'] };
    const created = await record('POST /v1/api-keys', { body, headers: once });
    await record('POST /v1/api-keys', { body, headers: once });
    const path = `/v1/api-keys/${created.body.id as string}` as const;
    const rotated = await record(`POST ${path}/rotate`, { headers: once });
    await record(`POST ${path}/rotate`, { headers: once });
    await record(`PATCH ${path}`, { body: { description: 'Changed', enabled: false }, headers: owner.headers });
    await record(`PATCH ${path}`, { body: { enabled: true }, headers: owner.headers });
    const secrets = [created, rotated].map((answer) => answer.body.secret as string);
    for (const secret of secrets) await presentEverywhere(secret);
    await record(`GET ${path}`, owner);
    await record(`GET /v1/api-keys?organizationId=${organizationId}`, owner);
    await record(`POST ${path}/revoke`, { headers: once });
    await record(`POST ${path}/rotate`, owner);
    await record(`DELETE ${path}`, owner);

    for (const secret of secrets) {
      const hidden = secret.slice(8);
      expect(answers.filter((answer) => JSON.stringify(answer).includes(hidden))).toHaveLength(1);
      expect(api.log.filter((line) => line.includes(hidden))).toEqual([]);
      expect(await tablesWith(hidden)).toEqual([]);
    }
  });

  it('is deleted an hour after it can no longer be accepted', async () => {
    const [live, rotated, revoked, gone] = await Promise.all([0, 1, 2, 3].map(() => newKeyId()));
    await change('POST', `${rotated!}/rotate`);
    await change('POST', `${revoked!}/revoke`);
    await change('DELETE', gone!);
    await change('PATCH', live!, { enabled: false });
    await sweep('30 minutes');
    expect(await secretsOf(live!, rotated!, revoked!, gone!)).toEqual([1, 2, 1, 1]);
    await sweep('2 hours');
    expect(await secretsOf(live!, rotated!, revoked!, gone!)).toEqual([1, 1, 0, 0]);
  });
});

let api: TestApi;
let owner: Owner;
let pool: Pool;
const answers: Answer[] = [];

type Request = Parameters<typeof ask>;

async function record(route: Request[1], sent: Request[2]): Promise<Answer> {
  const answer = await ask(api, route, sent);
  answers.push(answer);
  return answer;
}

/** Where a secret belongs, and where it does not. */
async function presentEverywhere(secret: string): Promise<void> {
  await record('GET /v1/query/websites', { headers: { 'x-api-key': secret } });
  await record('GET /v1/query/websites', { headers: { authorization: `Bearer ${secret}x` } });
  await record('GET /v1/query/websites', { headers: { authorization: `Basic ${secret}` } });
  await record(`GET /v1/api-keys/${secret}`, owner);
  await record(`GET /v1/links?organizationId=${secret}`, owner);
  await record('GET /v1/query/websites', { headers: { cookie: `ledgerline.session_token=${secret}` } });
}

async function tablesWith(text: string): Promise<string[]> {
  const tables = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'auth')`,
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rowCount } = await pool.query(`select from ${name} as t where t::text like $1`, [`%${text}%`]);
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

async function newKeyId(): Promise<string> {
  const body = { organizationId: owner.organizationId, name: 'Swept', scopes: ['read:data'] };
  return (await ask(api, 'POST /v1/api-keys', { body, headers: owner.headers })).body.id as string;
}

const change = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  ask(api, `${method} /v1/api-keys/${path}`, { headers: owner.headers, ...(body ? { body } : {}) });

/** As if every secret were of that age. */
async function sweep(age: string): Promise<void> {
  await pool.query('update api_key_secrets set created_at = clock_timestamp() - $1::interval', [age]);
  await api.app.get(OrphanedSecrets).sweep(new Date());
}

const secretsOf = (...keyIds: readonly string[]): Promise<number[]> =>
  Promise.all(
    keyIds.map(async (id) => (await pool.query('select from api_key_secrets where key_id = $1', [id])).rowCount ?? 0),
  );

beforeAll(async () => {
  api = await startTestApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '10000', LOG_LEVEL: 'trace' });
  owner = await ownerWithWebsite(api);
  pool = api.app.get<Pool>(POOL);
});

afterAll(() => api.close());
