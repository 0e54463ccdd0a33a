import { ask } from '@test/api/ask';
import { signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { proxyTo, type BreakableProxy } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';

describe.each([
  ['that has served accounts before', true],
  ['that has just started', false],
])('an api %s', (_, isWarm) => {
  let database: TestDatabase;
  let proxy: BreakableProxy;
  let api: TestApi;

  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    proxy = await proxyTo(url.hostname, Number(url.port));
    url.port = String(proxy.port);
    api = await startTestApi({ DATABASE_URL: url.href, LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
  });
  afterAll(async () => {
    await api.close();
    await proxy.close();
    await database.drop();
  });

  it('answers 503 to those who sign in while Postgres is away, and lets them in afterwards', async () => {
    const { email, headers } = isWarm ? await signUp(api) : { email: 'ada@example.com', headers: {} };
    const body = { email, password: 'correct horse battery' };
    await proxy.refuse();
    const answers = [
      await ask(api, 'POST /v1/auth/sign-in/email', { body }),
      await ask(api, 'POST /v1/auth/sign-up/email', { body: { ...body, name: 'Ada' } }),
      await ask(api, 'POST /v1/auth/request-password-reset', { body: { email } }),
      ...(isWarm ? [await ask(api, 'GET /v1/auth/get-session', { headers })] : []),
    ];
    for (const answer of answers)
      expect([answer.status, answer.body.code, Number(answer.headers['retry-after']) > 0, answer.cookies]).toEqual([
        503,
        'SERVICE_UNAVAILABLE',
        true,
        [],
      ]);
    await proxy.mend();
    if (!isWarm) await signUp(api, email);
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body })).status).toBe(200);
  });
});
