import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../../tokens';
import { SignIns } from './sign-ins';

const DAY_MS = 86_400_000;

describe('what is stored of sign-ins', () => {
  it('is deleted once they are over, SIGN_IN_DAYS after their last use', async () => {
    const person = await signUp(api);
    const pool = api.app.get<Pool>(POOL);
    await run(
      pool,
      sql`insert into auth.verification (id, identifier, value, "expiresAt") values ('ver_1', 'a', 'b', now() + interval '1 h')`,
    );
    const signIns = api.app.get(SignIns);
    expect(await signIns.sweep(new Date())).toBe(0);
    expect(await signIns.sweep(new Date(Date.now() + 2 * 3_600_000))).toBe(1);
    expect(await signIns.sweep(new Date(Date.now() + 3 * DAY_MS - 60_000))).toBe(0);
    expect((await ask(api, 'GET /v1/organizations', person)).status).toBe(200);
    expect(await signIns.sweep(new Date(Date.now() + 3 * DAY_MS + 60_000))).toBe(1);
    expect((await ask(api, 'GET /v1/organizations', person)).status).toBe(401);
  });

  let api: TestApi;

  beforeAll(async () => (api = await startTestApi({ SIGN_IN_DAYS: '3' })));
  afterAll(() => api.close());
});
