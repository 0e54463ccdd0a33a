import { Registry } from '@ledgerline/domain/registry/registry';
import { ask } from '@test/api/ask';
import { colleague, invite, join, ownerWithWebsite, signUp, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { mailTo, writtenMails } from '@test/mail/written-mails';
import { newGrant } from '@test/oauth/new-grant';

const PASSWORD = 'correct horse battery';

describe('an account', () => {
  it('is deleted by its person, with every session', async () => {
    const person = await signUp(api);
    const body = { email: person.email, password: PASSWORD };
    const { cookies } = await ask(api, 'POST /v1/auth/sign-in/email', { body });
    const other = { headers: { cookie: cookies.map((each) => each.split(';')[0]).join('; ') } };
    const answer = await remove(person);
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    expect(answer.cookies.join()).toMatch(/ledgerline\.session_token=; Max-Age=0/i);
    for (const each of [person, other]) expect((await ask(api, 'GET /v1/organizations', each)).status).toBe(401);
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body })).status).toBe(401);
    const again = await signUp(api, person.email);
    expect(again.id).not.toBe(person.id);
  });

  it('is not deleted with a wrong password, or without a session', async () => {
    const person = await signUp(api);
    const { status, body } = await remove(person, 'not the password');
    expect([status, body.details]).toMatchObject([400, [{ field: 'currentPassword' }]]);
    expect((await remove({ headers: { cookie: '' } })).status).toBe(401);
    expect((await ask(api, 'GET /v1/organizations', person)).status).toBe(200);
  });

  it('leaves its organizations, and its grants end', async () => {
    const owner = await ownerWithWebsite(api);
    const other = await ownerWithWebsite(api);
    const person = await colleague(api, owner, 'admin');
    await join(api, other, person, 'owner');
    const grantId = await newGrant(api, { ...owner, id: person.id });
    expect((await remove(person)).status).toBe(200);
    expect(api.app.get(Registry).rolesOf(person.id).size).toBe(0);
    expect(api.app.get(Registry).find('oauthGrants', grantId)).toBeUndefined();
    const path = `/v1/audit-log?organizationId=${owner.organizationId}&actorId=${person.id}` as const;
    const entries = (await ask(api, `GET ${path}`, owner)).body.data as { readonly action: string }[];
    expect(entries.map(({ action }) => action).slice(0, 2)).toEqual(['oauth_grant.revoked', 'member.left']);
  });

  it('of the last owner of an organization stays, and nothing changes', async () => {
    const owner = await ownerWithWebsite(api);
    const elsewhere = await ownerWithWebsite(api);
    await join(api, elsewhere, owner, 'member');
    const { status, body } = await remove(owner);
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect(body.error).toBe(
      `You are the last owner of Acme (${owner.organizationId}): make somebody else an owner, or delete it first`,
    );
    expect((await ask(api, 'GET /v1/organizations', owner)).body).toMatchObject({ total: 2 });
    await ask(api, `DELETE /v1/organizations/${owner.organizationId}`, owner);
    expect((await remove(owner)).status).toBe(200);
  });

  it('takes its mails and the invitations of its address with it; those that it sent stay', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await colleague(api, owner, 'admin');
    const elsewhere = await ownerWithWebsite(api);
    const received = await invite(api, elsewhere, person.email);
    const newcomer = await signUp(api);
    const sent = await invite(api, { ...owner, headers: person.headers }, newcomer.email);
    await mailTo(api, person.email, 2);
    expect((await remove(person)).status).toBe(200);
    expect(writtenMails(api).filter(({ to }) => to === person.email)).toEqual([]);
    const path = `/v1/organizations/${elsewhere.organizationId}/invitations` as const;
    expect((await ask(api, `GET ${path}`, elsewhere)).body.data).toEqual([]);
    const again = await signUp(api, person.email);
    expect((await ask(api, `POST /v1/invitations/${received}/accept`, again)).status).toBe(404);
    expect((await ask(api, `POST /v1/invitations/${sent}/accept`, newcomer)).status).toBe(200);
  });
});

let api: TestApi;

const remove = ({ headers }: Pick<Person, 'headers'>, currentPassword = PASSWORD) =>
  ask(api, 'POST /v1/auth/delete-user', { body: { currentPassword }, headers });

beforeAll(async () => {
  api = await startTestApi({ MAIL_TO_FILES: '1', LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
});

afterAll(() => api.close());
