import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { OPERATOR, PASSWORD, signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { startSmtpServer, textOf, type SmtpServer } from '@test/mail/smtp-server';
import { Browser } from '@test/oauth/browser';
import { POOL } from '../../tokens';

const ADA = 'ada@example.com';
const UNVERIFIED =
  'Your address is not confirmed yet: open the link in the mail that was sent to it, or ask for another mail';

describe('with a mail server, a new account', () => {
  it('cannot be used before the token of the mail is sent with its password', async () => {
    const { status, body, cookies } = await signUpAs(ADA);
    expect([status, body, cookies]).toMatchObject([200, { awaitsVerification: true, user: { email: ADA } }, []]);
    const token = tokenIn((await smtp.take()).message);
    const refused = await signIn({ email: ADA });
    expect([refused.status, refused.body.code, refused.body.error, refused.cookies]).toEqual([
      403,
      'FORBIDDEN',
      UNVERIFIED,
      [],
    ]);
    const wrong = [
      await signIn({ email: ADA, password: 'not the password', token }),
      await signIn({ email: ADA, token: `${token}x` }),
    ];
    expect(wrong.map(({ status: each }) => each)).toEqual([401, 400]);
    expect((await signIn({ email: 'Ada@example.com', token })).status).toBe(200);
    expect((await signIn({ email: ADA })).status).toBe(200);
  });

  it('is told so on the page on which it signs in for a client, too', async () => {
    await signUpAs(ADA);
    const browser = new Browser(await api.app.getUrl());
    const page = await browser.open('/v1/auth/oauth2/grants');
    const failed = await browser.submit(page, [
      ['email', ADA],
      ['password', PASSWORD],
    ]);
    expect(failed.text).toContain(UNVERIFIED);
  });

  it('is not verified by the mail of another account, nor by one that changes an address', async () => {
    await signUpAs(ADA);
    await signUpAs('eve@example.com');
    const own = tokenIn((await smtp.take()).message);
    const other = tokenIn((await smtp.take()).message);
    expect((await signIn({ email: 'eve@example.com', token: own })).body.details).toEqual([
      { field: 'token', message: 'Invalid token' },
    ]);
    const eve = cookieOf(await signIn({ email: 'eve@example.com', token: other }));
    const answer = await ask(api, `POST /v1/auth/verify-email?token=${own}`, { headers: eve });
    expect([answer.status, (await signIn({ email: ADA })).status]).toEqual([400, 403]);
    const body = { newEmail: 'new@example.com', currentPassword: PASSWORD };
    await ask(api, 'POST /v1/auth/change-email', { headers: eve, body });
    const changed = tokenIn((await smtp.take()).message);
    expect((await signIn({ email: ADA, token: changed })).status).toBe(400);
  });

  it('is sent its mail again on request, once a minute, and the answer shows nothing', async () => {
    await signUpAs(ADA);
    await smtp.take();
    const again = (email: string) => ask(api, 'POST /v1/auth/send-verification-email', { body: { email } });
    const answers = [await again(ADA), await again('nobody@example.com')];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { success: true }]));
    expect(smtp.mails).toHaveLength(1);
    await database().query(`update auth."user" set "verificationMailedAt" = now() - interval '61 s'`);
    await again('ADA@example.com');
    expect((await signIn({ email: ADA, token: tokenIn((await smtp.take()).message) })).status).toBe(200);
  });

  it('is answered the same where the address has one, whose owner gets a mail', async () => {
    await signUpAs(ADA);
    await signIn({ email: ADA, token: tokenIn((await smtp.take()).message) });
    await database().query(`update auth."user" set "verificationMailedAt" = null`);
    const second = await signUpAs(ADA, { password: 'another good password' });
    expect([second.status, second.cookies]).toEqual([200, []]);
    expect(second.body).toEqual({
      user: {
        id: expect.stringMatching(/^usr_/) as string,
        email: ADA,
        name: 'Ada',
        createdAt: expect.any(String) as string,
        updatedAt: expect.any(String) as string,
      },
      awaitsVerification: true,
    });
    expect((await smtp.take()).message).toContain('Subject: You have an account already');
    expect((await signIn({ email: ADA, password: 'another good password' })).status).toBe(401);
  });

  it('is one of two that ask for the address at once', async () => {
    const both = await Promise.all([signUpAs(ADA), signUpAs(ADA)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await database().query('select 1 from auth."user"')).rowCount).toBe(1);
  });

  it('belongs to who reads the mails: a reset of the password verifies it, too', async () => {
    await signUpAs(ADA, { password: 'chosen by a stranger' });
    await smtp.take();
    await ask(api, 'POST /v1/auth/request-password-reset', { body: { email: ADA } });
    const token = tokenIn((await smtp.take()).message);
    await ask(api, 'POST /v1/auth/reset-password', { body: { token, newPassword: PASSWORD } });
    const answers = [await signIn({ email: ADA, password: 'chosen by a stranger' }), await signIn({ email: ADA })];
    expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  });

  it('needs no other mail with the link of a mailed invitation, which those who invite do not have', async () => {
    const { organizationId, headers } = await newOwner();
    const invited = await ask(api, `POST /v1/organizations/${organizationId}/invitations`, {
      headers,
      body: { email: 'grace@example.com', role: 'member' },
    });
    const link = new URLSearchParams(/#(\S+)/.exec(textOf(await smtp.take()))![1]);
    expect([link.get('invitation'), JSON.stringify(invited.body)]).toEqual([
      invited.body.id,
      expect.not.stringContaining(link.get('proof')!) as string,
    ]);
    const known = { invitation: invited.body.id as string };
    const byInviter = await signUpAs('heidi@example.com', Object.fromEntries(link));
    const byAnother = await signUpAs('grace@example.com', { ...Object.fromEntries(link) });
    expect([byInviter.body.awaitsVerification, byAnother.body.awaitsVerification]).toEqual([true, false]);
    const accepted = await ask(api, `POST /v1/invitations/${known.invitation}/accept`, {
      headers: cookieOf(byAnother),
    });
    expect(accepted.status).toBe(200);
  });

  it('is not proven by the id of an invitation alone', async () => {
    const { organizationId, headers } = await newOwner();
    const body = { email: OPERATOR, role: 'member' };
    const { id } = (await ask(api, `POST /v1/organizations/${organizationId}/invitations`, { headers, body })).body;
    const { body: answer } = await signUpAs(OPERATOR, { invitation: id, proof: id });
    expect(answer.awaitsVerification).toBe(true);
  });
});

describe('with a mail server, an account of before', () => {
  it('signs in as it did', async () => {
    await api.close();
    api = await startTestApi();
    const { email } = await signUp(api);
    const { databaseUrl: DATABASE_URL } = api.settings;
    const later = await startTestApi({ ...mail(), DATABASE_URL });
    const { status } = await ask(later, 'POST /v1/auth/sign-in/email', { body: { email, password: PASSWORD } });
    await later.close();
    expect(status).toBe(200);
  });

  it('can verify its address all the same', async () => {
    await signUpAs(OPERATOR);
    await smtp.take();
    await database().query(`update auth."user" set "mustVerify" = false, "verificationMailedAt" = null`);
    const figures = async (person: { readonly cookies: readonly string[] }) =>
      (await ask(api, 'GET /v1/projections', { headers: cookieOf(person) })).status;
    expect(await figures(await signIn({ email: OPERATOR }))).toBe(403);
    await ask(api, 'POST /v1/auth/send-verification-email', { body: { email: OPERATOR } });
    const token = tokenIn((await smtp.take()).message);
    expect(await figures(await signIn({ email: OPERATOR, token }))).toBe(200);
  });
});

describe('with a mail server, an operator', () => {
  const figures = (headers: { cookie: string }) => ask(api, 'GET /v1/projections', { headers });

  it('has verified the address', async () => {
    await signUpAs(OPERATOR);
    const operator = cookieOf(await signIn({ email: OPERATOR, token: tokenIn((await smtp.take()).message) }));
    expect((await figures(operator)).status).toBe(200);
    expect((await ask(api, 'GET /v1/auth/get-session', { headers: operator })).body.isOperator).toBe(true);
    await database().query(`update auth."user" set "emailVerified" = false, "mustVerify" = false`);
    const { status, body } = await figures(operator);
    expect([status, body.details]).toEqual([403, [{ needs: 'operator', of: 'installation' }]]);
  });

  it('is nobody who only asks for the address', async () => {
    const eve = await newOwner();
    const body = { newEmail: OPERATOR, currentPassword: PASSWORD };
    await ask(api, 'POST /v1/auth/change-email', { headers: eve.headers, body });
    const token = tokenIn((await smtp.take()).message);
    expect((await figures(eve.headers)).status).toBe(403);
    await ask(api, `POST /v1/auth/verify-email?token=${token}`, { headers: eve.headers });
    expect((await figures(eve.headers)).status).toBe(200); // who reads the mails of the address
  });
});

let api: TestApi;
let smtp: SmtpServer;

beforeEach(async () => {
  smtp = await startSmtpServer();
  api = await startTestApi({ ...mail(), OPERATOR_EMAILS: OPERATOR });
});
afterEach(async () => {
  await api.close();
  await smtp.close();
});

const mail = () => ({
  SMTP_URL: smtp.url,
  MAIL_FROM: 'stats@example.com',
  LIMIT_FAILED_AUTH_PER_MINUTE: '1000',
});

const database = () => api.app.get<Pool>(POOL);

const signUpAs = (email: string, more: object = {}) =>
  ask(api, 'POST /v1/auth/sign-up/email', { body: { email, password: PASSWORD, name: 'Ada', ...more } });

const signIn = (credentials: object) =>
  ask(api, 'POST /v1/auth/sign-in/email', { body: { password: PASSWORD, ...credentials } });

const tokenIn = (message: string): string =>
  /[#?&]token=([\w.-]+)/.exec(textOf({ message, from: '', to: [] }))?.[1] ?? '';

const cookieOf = ({ cookies }: { readonly cookies: readonly string[] }) => ({
  cookie: cookies.map((each) => each.split(';')[0]).join('; '),
});

async function newOwner() {
  await signUpAs('owner@example.com');
  const headers = cookieOf(await signIn({ email: 'owner@example.com', token: tokenIn((await smtp.take()).message) }));
  const { body } = await ask(api, 'POST /v1/organizations', { headers, body: { name: 'Acme' } });
  return { headers, organizationId: body.id as string };
}
