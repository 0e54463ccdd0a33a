import { existsSync } from 'node:fs';
import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { MailFiles } from '../identity/accounts/mailer';
import { POOL } from '../tokens';
import { Housekeeping } from './housekeeping';

describe('housekeeping', () => {
  it('deletes old secrets that no key names, and leaves the live ones', async () => {
    const owner = await ownerWithWebsite(api);
    const secret = await newKey(api, owner, { scopes: ['read:data'] });
    const pool = api.app.get<Pool>(POOL);
    await pool.query(`insert into api_key_secrets values ('sec_orphan', 'key_none', '\\x00')`);
    await sweepAfter(0);
    expect(await count(pool, 'api_key_secrets')).toBe(2);
    await sweepAfter(2 * 3_600_000);
    expect(await count(pool, 'api_key_secrets')).toBe(1);
    expect((await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': secret } })).status).toBe(200);
  });

  it('deletes windows that are over and Idempotency-Keys after a week', async () => {
    const pool = api.app.get<Pool>(POOL);
    await pool.query('delete from request_counts');
    await pool.query(
      `insert into request_counts values ('over', 1, now() - interval '1 s'), ('on', 1, now() + interval '1 h')`,
    );
    await pool.query(`
      insert into idempotency_keys values
        ('p', 'r', 'old', '\\x00', gen_random_uuid(), 't', now() - interval '8 days'),
        ('p', 'r', 'new', '\\x00', gen_random_uuid(), 't', now())`);
    await sweepAfter(0);
    expect(await count(pool, 'request_counts')).toBe(1);
    expect(await count(pool, 'idempotency_keys')).toBe(1);
  });

  it('deletes accounts after a week whose address nobody confirmed', async () => {
    const confirmed = await signUp(api);
    const of_before = await signUp(api);
    const pool = api.app.get<Pool>(POOL);
    await signUp(api);
    await pool.query(`update auth."user" set "mustVerify" = true, "emailVerified" = id = $1 where id <> $2`, [
      confirmed.id,
      of_before.id,
    ]);
    const accounts = async () => (await pool.query('select id from auth."user"')).rows.map(({ id }) => id as string);
    const before = (await accounts()).length;
    await sweepAfter(6 * 24 * 3_600_000);
    expect(await accounts()).toHaveLength(before);
    await sweepAfter(8 * 24 * 3_600_000);
    expect((await accounts()).sort()).toEqual([confirmed.id, of_before.id].sort());
  });

  it('deletes mails in files after a week', async () => {
    const file = await api.app.get(MailFiles).write({ to: 'ada@example.com', subject: 'Invitation', text: 'Come in.' });
    await sweepAfter(0);
    expect(existsSync(file)).toBe(true);
    await sweepAfter(8 * 24 * 3_600_000);
    expect(existsSync(file)).toBe(false);
  });
});

let api: TestApi;
const sweepAfter = (ms: number) => api.app.get(Housekeeping).sweep(new Date(Date.now() + ms));

async function count(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::integer as n from ${table}`);
  return rows[0]!.n;
}

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());
