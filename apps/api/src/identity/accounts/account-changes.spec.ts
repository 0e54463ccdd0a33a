import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { signUp, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { mailTo, writtenMails } from '@test/mail/written-mails';
import { fakeOnly } from '@test/processes/fake-timers';
import { POOL } from '../../tokens';

const PASSWORD = 'correct horse battery';
const FRESH = 'ada.lovelace@new.example';

describe('a name', () => {
  it('is changed by its person', async () => {
    const person = await signUp(api);
    const { status, body } = await post(person, 'update-user', { name: ' Ada Lovelace ' });
    const user = { id: person.id, name: 'Ada Lovelace', email: person.email };
    expect([status, body]).toMatchObject([200, { user }]);
    expect((await ask(api, 'GET /v1/auth/get-session', person)).body).toMatchObject({ user });
  });

  it('is not changed to none, nor without a session', async () => {
    const person = await signUp(api);
    for (const name of ['', ' ', 'a\nb', 5])
      expect((await post(person, 'update-user', { name })).body.details).toMatchObject([{ field: 'name' }]);
    expect((await ask(api, 'POST /v1/auth/update-user', { body: { name: 'Eve' } })).status).toBe(401);
  });
});

describe('an address', () => {
  it('is changed with the link that is mailed to the new one, and the old one gets a mail', async () => {
    const person = await signUp(api);
    const { text, link } = await mailedLink(person, 'Ada.Changed@New.example');
    expect(text).toContain('Your account at http://localhost:3000');
    expect(await signIn(person.email)).toBe(200);
    const { status, body } = await ask(api, `POST ${link}`, person);
    expect([status, body]).toMatchObject([200, { user: { id: person.id, email: 'ada.changed@new.example' } }]);
    expect([await signIn(person.email), await signIn('ada.changed@new.example')]).toEqual([401, 200]);
    expect(await mailTo(api, person.email)).toMatchObject({ subject: 'The address of your account was changed' });
    expect((await mailTo(api, person.email)).text).not.toContain('new.example');
  });

  it('is changed once with a link', async () => {
    const person = await signUp(api);
    const { link } = await mailedLink(person, 'once@new.example');
    expect((await ask(api, `POST ${link}`, person)).status).toBe(200);
    await expectWrongToken(person, link);
  });

  it('ends the links of password resets, and the mails that went to it before', async () => {
    const person = await signUp(api);
    await ask(api, 'POST /v1/auth/request-password-reset', { body: { email: person.email } });
    const token = /token=(\w+)/.exec((await mailTo(api, person.email)).text)?.[1];
    const { link } = await mailedLink(person, 'resets@new.example');
    await ask(api, `POST ${link}`, person);
    const { body } = await ask(api, 'POST /v1/auth/reset-password', { body: { token, newPassword: PASSWORD } });
    expect(body.details).toMatchObject([{ field: 'token' }]);
    await mailTo(api, person.email);
    expect(writtenMails(api).filter(({ to }) => to === person.email)).toHaveLength(1);
  });

  it('is not changed with a link of another account, a made-up one, an old one, or without the session', async () => {
    const person = await signUp(api);
    const eve = await signUp(api);
    const { link } = await mailedLink(person, 'mine@new.example');
    await expectWrongToken(eve, link);
    await expectWrongToken(person, '/v1/auth/verify-email?token=made-up');
    expect((await ask(api, `POST ${link}`)).status).toBe(401);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.now() + 3_600_001 });
    await expectWrongToken(person, link).finally(() => jest.useRealTimers());
    expect(await signIn(person.email)).toBe(200);
  });

  it.each([
    ['a wrong password', { newEmail: FRESH, currentPassword: 'not the password' }, 'currentPassword'],
    ['no password', { newEmail: FRESH }, 'currentPassword'],
    ['what is no address', { newEmail: 'nobody', currentPassword: PASSWORD }, 'newEmail'],
  ])('is not changed with %s', async (_, body, field) => {
    const answer = await post(await signUp(api), 'change-email', body);
    expect([answer.status, answer.body.details]).toMatchObject([400, [{ field }]]);
  });

  it('is not changed to itself', async () => {
    const person = await signUp(api);
    const answer = await change(person, person.email.toUpperCase());
    expect([answer.status, answer.body.details]).toMatchObject([400, [{ field: 'newEmail' }]]);
  });

  it('of another account is answered alike, and gets no mail', async () => {
    const person = await signUp(api);
    const other = await signUp(api);
    const answers = [await change(person, other.email), await change(person, FRESH)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { success: true }]));
    await mailTo(api, FRESH);
    expect(writtenMails(api).filter(({ to }) => to === other.email)).toEqual([]);
  });

  it('that somebody has taken since is a conflict', async () => {
    const person = await signUp(api);
    const { link } = await mailedLink(person, 'taken@new.example');
    await signUp(api, 'taken@new.example');
    const answer = await ask(api, `POST ${link}`, person);
    expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('leaves neither addresses nor tokens in the log, and no new address in the database before it is confirmed', async () => {
    const person = await signUp(api);
    const { link, token } = await mailedLink(person, 'unconfirmed@new.example');
    const { rows } = await api.app.get<Pool>(POOL).query('select v::text as row from auth.verification v');
    expect(JSON.stringify(rows)).not.toContain('unconfirmed');
    await ask(api, `POST ${link}x`, person);
    await ask(api, `POST ${link}`, person);
    expect(api.log.join()).not.toMatch(new RegExp(`${token}|unconfirmed|${person.email}`));
  });
});

let api: TestApi;

const post = ({ headers }: Person, route: string, body: object) =>
  ask(api, `POST /v1/auth/${route}`, { headers, body });

const change = (person: Person, newEmail: string) =>
  post(person, 'change-email', { newEmail, currentPassword: PASSWORD });

async function mailedLink(person: Person, newEmail: string) {
  expect((await change(person, newEmail)).status).toBe(200);
  const { text } = await mailTo(api, newEmail.toLowerCase());
  const [, link = '', token = ''] = /http:\/\/localhost:3000(\/v1\/auth\/verify-email\?token=(\S+))/.exec(text) ?? [];
  return { text, link, token };
}

const signIn = async (email: string) =>
  (await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password: PASSWORD } })).status;

async function expectWrongToken(person: Person, link: string): Promise<void> {
  const { status, body } = await ask(api, `POST ${link}`, person);
  expect([status, body.details]).toMatchObject([400, [{ field: 'token' }]]);
}

beforeAll(async () => {
  api = await startTestApi({ MAIL_TO_FILES: '1', LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
});

afterAll(() => api.close());
