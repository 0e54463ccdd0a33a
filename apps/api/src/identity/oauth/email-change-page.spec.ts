import { ask } from '@test/api/ask';
import { signUp, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { mailTo } from '@test/mail/written-mails';
import { Browser } from '@test/oauth/browser';
import { fakeOnly } from '@test/processes/fake-timers';
import { freePort } from '../../../../../test/network/free-port';

const PASSWORD = 'correct horse battery';

describe('the page that the mail to a new address links to', () => {
  it('shows the change, and makes it with its button', async () => {
    const person = await signUp(api);
    const link = await mailedLink(person, 'clicked@new.example');
    const browser = new Browser(host, person.headers['cookie']);
    const page = await browser.open(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain(`From ${person.email}<br />to <strong>clicked@new.example</strong>`);
    expect(await signIn('clicked@new.example')).toBe(401);
    const changed = await browser.submit(page, []);
    expect([changed.status, changed.address.pathname]).toEqual([200, '/v1/auth/verify-email']);
    expect(changed.text).toContain('is <strong>clicked@new.example</strong>');
    expect([await signIn('clicked@new.example'), await signIn(person.email)]).toEqual([200, 401]);
    const again = await browser.submit(page, []);
    expect([again.status, again.text.includes('was used already')]).toEqual([400, true]);
  });

  it('has a form to sign in, and shows the present address only to its person', async () => {
    const person = await signUp(api);
    const other = await signUp(api);
    const link = await mailedLink(person, 'signed.in@new.example');
    const browser = new Browser(host, other.headers['cookie']);
    const asked = await browser.open(link);
    expect(asked.text).toContain('You are signed in with another account.');
    expect(asked.text).not.toContain(person.email);
    const failed = await browser.submit(asked, credentials(person, 'wrong password'));
    expect(failed.text).toContain('Email or password is wrong.');
    const page = await browser.submit(failed, credentials(person, PASSWORD));
    expect([page.address.pathname, page.text.includes(`From ${person.email}`)]).toEqual([
      '/v1/auth/verify-email',
      true,
    ]);
    expect((await browser.submit(page, [])).status).toBe(200);
    expect(await signIn('signed.in@new.example')).toBe(200);
  });

  it('takes no form of another session, link or site', async () => {
    const person = await signUp(api);
    const other = await signUp(api);
    const link = await mailedLink(person, 'guarded@new.example');
    const browser = new Browser(host, person.headers['cookie']);
    const page = await browser.open(link);
    expect((await new Browser(host, other.headers['cookie']).submit(page, [])).status).toBe(403);
    const change = new URL(await mailedLink(person, 'second@new.example')).searchParams.get('token')!;
    const forged = {
      ...page,
      text: page.text.replace(/name="change" value="[^"]+"/, `name="change" value="${change}"`),
    };
    expect((await browser.submit(forged, [])).status).toBe(403);
    const headers = { ...person.headers, origin: 'https://evil.example' };
    expect((await ask(api, 'POST /v1/auth/verify-email/confirm', { body: {}, headers })).status).toBe(403);
    expect(await signIn(person.email)).toBe(200);
  });

  it('says of a link that is over, not ours or of a taken address that nothing was changed', async () => {
    const person = await signUp(api);
    const link = await mailedLink(person, 'late@new.example');
    const browser = new Browser(host, person.headers['cookie']);
    for (const wrong of ['/v1/auth/verify-email', '/v1/auth/verify-email?token=x', `${link}x`])
      expect(await browser.open(wrong)).toMatchObject({ status: 400, text: NOT_CHANGED });
    const page = await browser.open(link);
    await signUp(api, 'late@new.example');
    expect(await browser.submit(page, [])).toMatchObject({ status: 409, text: NOT_CHANGED });
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.now() + 3_600_001 });
    const late = await browser.open(link).finally(() => jest.useRealTimers());
    expect(late).toMatchObject({ status: 400, text: NOT_CHANGED });
  });
});

const NOT_CHANGED = expect.stringContaining('was not changed') as string;

const credentials = ({ email }: Person, password: string) =>
  [
    ['email', email],
    ['password', password],
  ] as const;

const signIn = async (email: string) =>
  (await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password: PASSWORD } })).status;

/** As it stands in the mail. */
async function mailedLink({ headers }: Person, newEmail: string): Promise<string> {
  await ask(api, 'POST /v1/auth/change-email', { headers, body: { newEmail, currentPassword: PASSWORD } });
  return /^http\S+token=\S+$/m.exec((await mailTo(api, newEmail)).text)![0];
}

let api: TestApi;
let host: string;

beforeAll(async () => {
  const port = await freePort();
  host = `http://127.0.0.1:${port}`;
  const settings = { PUBLIC_API_URL: host, MAIL_TO_FILES: '1', LIMIT_FAILED_AUTH_PER_MINUTE: '10000' };
  api = await startTestApi(settings, {}, port);
});

afterAll(() => api.close());
