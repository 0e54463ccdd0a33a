import type { Pool } from 'pg';
import { Registry } from '@ledgerline/domain/registry/registry';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, signUp, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { startSmtpServer, textOf, type SmtpServer } from '@test/mail/smtp-server';
import { mailTo } from '@test/mail/written-mails';
import { newGrant } from '@test/oauth/new-grant';
import { fakeOnly } from '@test/processes/fake-timers';
import { POOL } from '../../tokens';

const OLD = 'correct horse battery';
const NEW = 'a newer password';

describe('a password', () => {
  it('is changed by its person, whose other sessions may go on', async () => {
    const { person, other } = await someone();
    const answer = await change(person, { currentPassword: OLD, newPassword: NEW });
    expect([answer.status, answer.body]).toEqual([200, { user: expect.objectContaining({ id: person.id }) as object }]);
    expect(await isSignedIn(person)).toBe(true);
    expect(await isSignedIn(other)).toBe(true);
    expect([await signIn(person, OLD), await signIn(person, NEW)]).toEqual([401, 200]);
  });

  it('is changed with the end of all other sessions', async () => {
    const { person, other } = await someone();
    const body = { currentPassword: OLD, newPassword: NEW, revokeOtherSessions: true };
    const { status, cookies } = await change(person, body);
    expect(status).toBe(200);
    expect(await isSignedIn(other)).toBe(false);
    expect(await isSignedIn(person)).toBe(false);
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    expect(await isSignedIn({ headers: { cookie } })).toBe(true);
  });

  it('is changed with the end of what programs were allowed, unless its person keeps that', async () => {
    const { owner, isGranted } = await granted();
    const keep = { currentPassword: OLD, newPassword: NEW, revokeGrants: false };
    expect([(await change(owner, keep)).status, isGranted()]).toEqual([200, true]);
    const wrong = { currentPassword: OLD, newPassword: OLD };
    expect([(await change(owner, wrong)).status, isGranted()]).toEqual([400, true]);
    const body = { currentPassword: NEW, newPassword: OLD };
    expect([(await change(owner, body)).status, isGranted()]).toEqual([200, false]);
    expect(await revocations(owner)).toMatchObject([
      { actor: { id: owner.id }, changes: { reason: { after: 'person' } } },
    ]);
  });

  it.each([
    ['the present one wrong', { currentPassword: 'not the password', newPassword: NEW }, 'currentPassword'],
    ['the new one too short', { currentPassword: OLD, newPassword: 'x'.repeat(9) }, 'newPassword'],
    ['the new one missing', { currentPassword: OLD }, 'newPassword'],
  ])('is not changed with %s', async (_, body, field) => {
    const { person } = await someone();
    const answer = await change(person, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.details).toMatchObject([{ field }]);
    expect(await signIn(person, OLD)).toBe(200);
  });

  it('is not changed without a session', async () => {
    const body = { currentPassword: OLD, newPassword: NEW };
    const { status, body: answer } = await ask(api, 'POST /v1/auth/change-password', { body });
    expect([status, answer.code, answer.error]).toEqual([401, 'AUTH_REQUIRED', 'Authentication required']);
  });
});

describe('a password reset', () => {
  it('sets a new password with the link of a mail, once, and ends every session', async () => {
    const { person, other, email } = await someone();
    const token = await mailedToken(email);
    expect((await reset({ token, newPassword: 'short' })).body.details).toMatchObject([{ field: 'newPassword' }]);
    expect((await reset({ token, newPassword: NEW })).body).toEqual({ success: true });
    expect([await isSignedIn(person), await isSignedIn(other)]).toEqual([false, false]);
    expect([await signIn(person, OLD), await signIn(person, NEW)]).toEqual([401, 200]);
    await expectInvalid({ token, newPassword: 'yet another one' });
    expect(await signIn(person, NEW)).toBe(200);
  });

  it('ends what programs were allowed, with a token that is right', async () => {
    const { owner, isGranted } = await granted();
    const token = await mailedToken(owner.email);
    await expectInvalid({ token: `${token}x`, newPassword: NEW });
    expect(isGranted()).toBe(true);
    expect([(await reset({ token, newPassword: NEW })).status, isGranted()]).toEqual([200, false]);
    const [entry] = await revocations({ ...owner, headers: await signedIn(owner.email, NEW) });
    expect(entry).toMatchObject({
      actor: { type: 'user', id: owner.id },
      target: { name: 'Agent (agent.example)' },
      changes: { reason: { after: 'person' } },
    });
  });

  it('takes the token in the query, too', async () => {
    const { person, email } = await someone();
    const token = await mailedToken(email);
    const body = { newPassword: NEW };
    const answer = await ask(api, `POST /v1/auth/reset-password?token=${token}`, { body });
    expect([answer.status, await signIn(person, NEW)]).toEqual([200, 200]);
  });

  it('happens once, however many requests come at the same time', async () => {
    const { email } = await someone();
    const token = await mailedToken(email);
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((each) => reset({ token, newPassword: NEW + each })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it('is over after an hour', async () => {
    const { person, email } = await someone();
    const token = await mailedToken(email);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.now() + 3_600_001 });
    await expectInvalid({ token, newPassword: NEW }).finally(() => jest.useRealTimers());
    expect(await signIn(person, OLD)).toBe(200);
  });

  it('is over when the password has been changed in another way', async () => {
    const { person, email } = await someone();
    const first = await mailedToken(email);
    const second = await mailedToken(email);
    const third = await mailedToken(email);
    expect((await reset({ token: second, newPassword: NEW })).status).toBe(200);
    await expectInvalid({ token: first, newPassword: 'of an old mail' });
    await expectInvalid({ token: third, newPassword: 'of an old mail' });
    const again = await mailedToken(email);
    const headers = await signedIn(email, NEW);
    await change({ ...person, headers }, { currentPassword: NEW, newPassword: OLD });
    await expectInvalid({ token: again, newPassword: 'of an old mail' });
  });

  it.each([[{ newPassword: NEW }], [{ newPassword: NEW, token: '' }], [{ newPassword: NEW, token: 'made-up' }]])(
    'needs a token: %j',
    (body) => expectInvalid(body),
  );

  it('is answered the same for an address without an account, which gets no mail', async () => {
    const { email } = await someone();
    const answers = [await request('nobody@example.com'), await request(email)];
    for (const { status, body, headers } of answers)
      expect([status, body, Object.keys(headers)]).toEqual([200, { success: true }, Object.keys(answers[0]!.headers)]);
    expect((await smtp.take()).to).toEqual([email]);
    expect(smtp.mails.flatMap(({ to }) => to)).not.toContain('nobody@example.com');
  });

  it('sends a person at most five mails an hour', async () => {
    const { email } = await someone();
    for (let n = 0; n < 7; n++) expect((await request(email)).status).toBe(200);
    for (let n = 0; n < 5; n++) expect((await smtp.take()).to).toEqual([email]);
    const { email: next } = await someone();
    await mailedToken(next); // a mail after which those of before would have come
    expect(smtp.mails.filter(({ to }) => to.includes(email))).toHaveLength(5);
  });

  it('leads to the dashboard, to the page that it names, and nowhere else', async () => {
    const { email } = await someone();
    expect(await mailedLink(email)).toMatch(/^https:\/\/app\.example\.com\/reset-password\?token=\w+$/);
    const redirectTo = 'https://other.example/en/reset?step=2';
    expect(await mailedLink(email, redirectTo)).toMatch(/^https:\/\/other\.example\/en\/reset\?step=2&token=\w+$/);
    for (const foreign of ['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/reset', 'x']) {
      const { status, body } = await request(email, foreign);
      expect([status, body.details]).toMatchObject([400, [{ field: 'redirectTo' }]]);
    }
  });

  it('leaves neither tokens nor passwords in the log, and no token in the database', async () => {
    const { person, email } = await someone();
    const token = await mailedToken(email);
    const { rows } = await api.app.get<Pool>(POOL).query('select v::text as row from auth.verification v');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    await ask(api, `POST /v1/auth/reset-password?token=${token}x`, { body: { newPassword: NEW } });
    await reset({ token, newPassword: NEW });
    await signIn(person, OLD);
    expect(api.log.join()).not.toMatch(new RegExp(`${token}|${NEW}|${OLD}|${email}`));
  });
});

describe('without a mail server', () => {
  it.each([
    ['the link is in a file of an embedded installation, and not in its log', '1'],
    ['the log says what is missing', '0'],
  ])('%s', async (_, MAIL_TO_FILES) => {
    const bare = await startTestApi({ MAIL_TO_FILES });
    const body = { email: 'ada@example.com' };
    const headers = { host: 'evil.example' };
    await ask(bare, 'POST /v1/auth/sign-up/email', { body: { ...body, password: OLD, name: 'Ada' } });
    const answer = await ask(bare, 'POST /v1/auth/request-password-reset', { body, headers });
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    if (MAIL_TO_FILES === '1') {
      const { text } = await mailTo(bare, body.email);
      const token = /http:\/\/localhost:3000\/console\/reset-password#token=(\w+)/.exec(text)?.[1];
      const reset = await ask(bare, 'POST /v1/auth/reset-password', { body: { newPassword: NEW, token } });
      expect(reset.status).toBe(200);
    }
    const log = bare.log.join('\n');
    expect([log.includes('token='), log.includes('a mail was not sent')]).toEqual([false, MAIL_TO_FILES === '0']);
    await bare.close();
  });
});

let api: TestApi;
let smtp: SmtpServer;

/** A person with two sessions. */
async function someone() {
  const person = await signUp(api);
  const { body } = await ask(api, 'GET /v1/auth/get-session', person);
  const { email } = body.user as { email: string };
  const other = { headers: await signedIn(email, OLD) };
  return { person: { ...person, email }, other, email };
}

/** An owner, and whether what they have allowed a program still stands. */
async function granted() {
  const owner = await ownerWithWebsite(api);
  const grantId = await newGrant(api, owner);
  return { owner, isGranted: () => api.app.get(Registry).find('oauthGrants', grantId) !== undefined };
}

async function revocations({ organizationId, headers }: Owner) {
  const path = `/v1/audit-log?organizationId=${organizationId}&action=oauth_grant.revoked` as const;
  return (await ask(api, `GET ${path}`, { headers })).body.data as readonly object[];
}

async function signedIn(email: string, password: string) {
  const { cookies } = await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password } });
  return { cookie: cookies.map((each) => each.split(';')[0]).join('; ') };
}

const change = (person: Pick<Person, 'headers'>, body: object) =>
  ask(api, 'POST /v1/auth/change-password', { ...person, body });
const reset = (body: object) => ask(api, 'POST /v1/auth/reset-password', { body });
const request = (email: string, redirectTo?: string) =>
  ask(api, 'POST /v1/auth/request-password-reset', { body: { email, ...(redirectTo ? { redirectTo } : {}) } });

const isSignedIn = async ({ headers }: Pick<Person, 'headers'>) =>
  (await ask(api, 'GET /v1/organizations', { headers })).status === 200;

const signIn = async ({ email }: { email: string }, password: string) =>
  (await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password } })).status;

async function mailedLink(email: string, redirectTo?: string): Promise<string> {
  expect((await request(email, redirectTo)).status).toBe(200);
  const mail = await smtp.take();
  expect(mail.to).toEqual([email]);
  return /^https?:\S+$/m.exec(textOf(mail))![0];
}

const mailedToken = async (email: string) => new URL(await mailedLink(email)).searchParams.get('token')!;

async function expectInvalid(body: object): Promise<void> {
  const { status, body: answer } = await reset(body);
  expect([status, answer.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(answer.details).toMatchObject([{ field: 'token' }]);
}

beforeAll(async () => {
  smtp = await startSmtpServer();
  api = await startTestApi({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'stats@example.com',
    DASHBOARD_ORIGINS: 'https://app.example.com,https://other.example',
    LIMIT_FAILED_AUTH_PER_MINUTE: '10000',
  });
});

afterAll(async () => {
  await api.close();
  await smtp.close();
});
