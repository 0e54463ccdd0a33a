import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { invite, OPERATOR, operatorLink, ownerWithWebsite, PASSWORD, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { waitUntil } from '@test/wait-until';
import { POOL } from '../../tokens';

const INVITED =
  'An account here needs an invitation: open the link of the invitation, and use the address that was invited.';
const UNPROVEN = 'An account for this address needs the link that the log of the api shows at its start.';

let api: TestApi;

afterEach(() => api.close());

describe('a sign-up that is open', () => {
  beforeEach(async () => void (api = await startTestApi({ SIGN_UP: 'open', OPERATOR_EMAILS: OPERATOR })));

  it('is for everybody', async () => {
    expect((await ask(api, 'GET /v1/auth/sign-up')).body).toEqual({
      mode: 'open',
      verifiesAddresses: false,
      mail: 'nothing',
    });
    expect(await attempt('ada@example.com')).toEqual([200, undefined]);
  });

  it('gives the address of an operator to nobody without the link of the log', async () => {
    expect(await attempt(OPERATOR)).toEqual([403, UNPROVEN]);
    expect(await attempt(OPERATOR.toUpperCase())).toEqual([403, UNPROVEN]);
    expect(await attempt(OPERATOR, { proof: await proofFor(OPERATOR) })).toEqual([200, undefined]);
  });

  it('does not give it to those who invite the address either', async () => {
    const stranger = await ownerWithWebsite(api);
    const invitation = await invite(api, stranger, OPERATOR);
    expect(await attempt(OPERATOR, { invitation })).toEqual([403, UNPROVEN]);
  });

  it('makes one account of two that ask for the same address at once', async () => {
    const both = await Promise.all([attempt('twins@example.com'), attempt('Twins@example.com')]);
    expect(both.map(([status]) => status).sort()).toEqual([200, 409]);
  });
});

describe('a sign-up by invitation', () => {
  let owner: Owner;

  beforeEach(async () => {
    api = await startTestApi({ SIGN_UP: '', OPERATOR_EMAILS: ` Operator@Example.com ,${OTHER}` });
    const { id, headers } = await signUp(api, OPERATOR, { proof: await proofFor(OPERATOR) });
    const body = { name: 'Acme' };
    const organizationId = (await ask(api, 'POST /v1/organizations', { body, headers })).body.id as string;
    owner = { id, headers, email: OPERATOR, organizationId, websiteId: '' };
  });

  it('is the default, and refuses strangers with one sentence', async () => {
    expect((await ask(api, 'GET /v1/auth/sign-up')).body).toEqual({
      mode: 'invited',
      verifiesAddresses: false,
      mail: 'nothing',
    });
    const body = { email: 'stranger@example.com', password: PASSWORD, name: 'Eve' };
    const { status, body: refusal } = await ask(api, 'POST /v1/auth/sign-up/email', { body });
    expect([status, refusal]).toMatchObject([403, { success: false, code: 'FORBIDDEN', error: INVITED }]);
    expect(refusal.details).toBeUndefined();
  });

  it('is for who has the link of an invitation to the address, in any case', async () => {
    const invitation = await invite(api, owner, 'Grace@Example.com');
    const answers = [
      await attempt('grace@example.com'), // the answer does not show that the address is invited
      await attempt('eve@example.com', { invitation }),
      await attempt('grace+1@example.com', { invitation }),
      await attempt('gRACE@example.com', { invitation }),
    ];
    expect(answers).toEqual([
      [403, INVITED],
      [403, INVITED],
      [403, INVITED],
      [200, undefined],
    ]);
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', {
      body: { email: 'grace@example.com', password: PASSWORD },
    });
    const cookie = signedIn.cookies.map((each) => each.split(';')[0]).join('; ');
    const accepted = await ask(api, `POST /v1/invitations/${invitation}/accept`, { headers: { cookie } });
    expect(accepted.status).toBe(200);
    expect(await attempt('other@example.com', { invitation })).toEqual([403, INVITED]);
  });

  it.each([
    ['revoked', (id: string) => ask(api, `DELETE /v1/organizations/${owner.organizationId}/invitations/${id}`, owner)],
    ['unknown', () => api.app.get<Pool>(POOL).query('delete from invitation_addresses')],
  ])('is refused with an invitation that is %s', async (_, end) => {
    const invitation = await invite(api, owner, 'grace@example.com');
    await end(invitation);
    expect(await attempt('grace@example.com', { invitation })).toEqual([403, INVITED]);
  });

  it('is for operators, whose link counts for their own address alone', async () => {
    const proof = await proofFor(OTHER);
    const answers = [
      await attempt('eve@example.com', { proof }),
      await attempt(OTHER),
      await attempt(OTHER, { proof }),
    ];
    expect(answers).toEqual([
      [403, INVITED],
      [403, UNPROVEN],
      [200, undefined],
    ]);
  });
});

describe('a sign-up that is closed', () => {
  beforeEach(async () => void (api = await startTestApi({ SIGN_UP: 'closed', OPERATOR_EMAILS: OPERATOR })));

  it('is for nobody, operators included', async () => {
    const closed = [403, 'Nobody can create an account here: sign-up is closed.'];
    expect([await attempt('ada@example.com'), await attempt(OPERATOR)]).toEqual([closed, closed]);
    expect(api.log.join()).not.toContain('sign up with this link');
  });
});

describe('the start', () => {
  it('says how to get in where nobody can', async () => {
    api = await startTestApi({ SIGN_UP: 'invited' });
    await waitUntil(() => api.log.some((line) => line.includes('name the address of an operator in OPERATOR_EMAILS')));
  });

  it('shows an operator without an account the page to sign up', async () => {
    api = await startTestApi({ SIGN_UP: 'invited', OPERATOR_EMAILS: OPERATOR });
    const link = await operatorLink(api);
    expect(link.origin + link.pathname).toBe('http://localhost:3000/console/sign-up');
    expect(new URLSearchParams(link.hash.slice(1)).get('email')).toBe(OPERATOR);
  });
});

const OTHER = 'other-operator@example.com';

const proofFor = async (email: string) =>
  new URLSearchParams((await operatorLink(api, email)).hash.slice(1)).get('proof') ?? '';

/** The status, and the sentence of a refusal. */
async function attempt(email: string, link: object = {}) {
  const body = { email, password: PASSWORD, name: 'Ada', ...link };
  const { status, body: answer } = await ask(api, 'POST /v1/auth/sign-up/email', { body });
  return [status, answer.error];
}
