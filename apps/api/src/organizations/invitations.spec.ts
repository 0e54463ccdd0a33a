import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { colleague, ownerWithWebsite, signUp, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { mailTo, writtenMails } from '@test/mail/written-mails';
import { fakeOnly } from '@test/processes/fake-timers';
import { Housekeeping } from '../operations/housekeeping';
import { POOL } from '../tokens';

describe('an invitation', () => {
  it('is answered with how and until when it can be accepted', async () => {
    const owner = await ownerWithWebsite(api);
    const before = Date.now();
    const { status, headers, body } = await invite(owner, ' Grace@Example.com ', 'admin');
    expect(status).toBe(201);
    expect(headers['x-log-position']).toMatch(/^e:/);
    expect(body).toEqual({
      id: expect.stringMatching(/^inv_[0-9A-Z]{26}$/) as string,
      organizationId: owner.organizationId,
      organizationName: 'Acme',
      email: 'Grace@Example.com',
      role: 'admin',
      invitedBy: owner.id,
      expiresAt: TIME,
      acceptUrl: `http://localhost:3000/v1/invitations/${body.id as string}/accept`,
      createdAt: TIME,
      updatedAt: body.createdAt,
      revision: 1,
    });
    const validFor = Date.parse(body.expiresAt as string) - before;
    expect(Math.round(validFor / DAY)).toBe(7);
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toEqual({ success: true, data: [body], total: 1 });
  });

  it('is mailed once to its address', async () => {
    const owner = await ownerWithWebsite(api);
    const { email } = await signUp(api);
    const by = { headers: { ...owner.headers, 'idempotency-key': 'mailed' } };
    const { body } = await invite(owner, email, 'admin', by);
    await invite(owner, email, 'admin', by);
    await mailTo(api, email);
    const mails = writtenMails(api).filter(({ to }) => to === email);
    expect(mails).toMatchObject([{ to: email, subject: 'Invitation to Acme' }]);
    const page = `http://localhost:3000/console/accept-invitation#invitation=${body.id as string}&proof=`;
    for (const part of [page, 'as an admin', 'UTC']) expect(mails[0]?.text).toContain(part);
  });

  it('makes a member of the person with the invited address', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await signUp(api);
    const { body: invitation } = await invite(owner, person.email.toUpperCase(), 'admin');
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toEqual({
      success: true,
      data: [invitation],
      total: 1,
    });
    const accepted = await accept(invitation.id, person);
    expect(accepted).toMatchObject({
      status: 200,
      body: { id: person.id, organizationId: owner.organizationId, role: 'admin', email: person.email, revision: 2 },
    });
    expect(accepted.headers['x-log-position']).toMatch(/^e:/);
    expect((await ask(api, 'GET /v1/organizations', person)).body).toMatchObject({ data: [{ name: 'Acme' }] });
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toMatchObject({ total: 0 });
    expect(await addressesOf(owner)).toEqual([]);
    expect((await accept(invitation.id, person)).body).toMatchObject(NOT_FOUND);
  });

  it('is listed for nobody who only claims the address: the id is sent by mail alone', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await signUp(api);
    const { body } = await invite(owner, person.email);
    for (const path of ['/v1/invitations', pathOf(owner)] as const) {
      const answer = await ask(api, `GET ${path}`, person);
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      expect(answer.text).not.toContain(body.id);
    }
  });

  it('is not found by anybody else, whatever they may', async () => {
    const owner = await ownerWithWebsite(api);
    const { body } = await invite(owner, (await signUp(api)).email);
    for (const person of [owner, await colleague(api, owner, 'member'), await ownerWithWebsite(api)])
      expect((await accept(body.id, person)).body).toMatchObject(NOT_FOUND);
    for (const id of ['inv_unknown', '%01']) {
      const headers = { ...owner.headers, 'idempotency-key': `accept-${id.slice(1)}` };
      for (const sent of [owner, { headers }]) expect((await accept(id, sent)).body).toMatchObject(NOT_FOUND);
    }
  });

  it('is given by owners and admins, up to their own role', async () => {
    const owner = await ownerWithWebsite(api);
    const admin = await colleague(api, owner, 'admin');
    const member = await colleague(api, owner, 'member');
    const given = async (by: Person, role: string) =>
      (await invite(owner, `${by.id}-${role}@example.com`, role, by)).status;
    for (const role of ['member', 'admin', 'owner']) {
      expect(await given(owner, role)).toBe(201);
      expect(await given(admin, role)).toBe(role === 'owner' ? 403 : 201);
      expect(await given(member, role)).toBe(403);
    }
    expect((await ask(api, `GET ${pathOf(owner)}`, member)).body).toMatchObject({ code: 'FORBIDDEN' });
    expect((await ask(api, `GET ${pathOf(owner)}`, admin)).body).toMatchObject({ total: 5 });
    expect(await addressesOf(owner)).toHaveLength(5);
  });

  it('is pending once for an address', async () => {
    const owner = await ownerWithWebsite(api);
    const answers = await Promise.all(
      ['ada@example.com', 'ADA@example.com', 'Ada@Example.com'].map((email) => invite(owner, email)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await invite(owner, 'ada@example.com')).body).toMatchObject({
      code: 'CONFLICT',
      error: 'This address has been invited already',
    });
    expect((await invite(await ownerWithWebsite(api), 'ada@example.com')).status).toBe(201);
  });

  it('is not given to a member', async () => {
    const owner = await ownerWithWebsite(api);
    const member = await colleague(api, owner, 'member');
    expect((await invite(owner, member.email.toUpperCase())).body).toMatchObject({
      code: 'CONFLICT',
      error: 'This person is already a member',
    });
  });

  it.each([
    ['email', { email: 'nobody', role: 'member' }],
    ['email', { role: 'member' }],
    ['email', { email: `${'x'.repeat(250)}@example.com`, role: 'member' }],
    ['email', { email: 'a\u0000@example.com', role: 'member' }],
    ['role', { email: 'a@example.com', role: 'king' }],
    ['roles', { email: 'a@example.com', role: 'member', roles: [] }],
  ])('names the wrong field %s: %j', async (field, body) => {
    const owner = await shared;
    const { status, body: refusal } = await ask(api, `POST ${pathOf(owner)}`, { body, headers: owner.headers });
    expect(status).toBe(400);
    expect((refusal.details as { field: string }[]).map((each) => each.field)).toContain(field);
  });

  it('is given once under one Idempotency-Key, even when it is accepted meanwhile', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await signUp(api);
    const by = { headers: { ...owner.headers, 'idempotency-key': 'invite' } };
    const [first, second] = await Promise.all([
      invite(owner, person.email, 'member', by),
      invite(owner, person.email, 'member', by),
    ]);
    expect(second.body).toEqual(first.body);
    const accepting = { headers: { ...person.headers, 'idempotency-key': 'accept' } };
    const accepted = await accept(first.body.id, accepting);
    expect((await accept(first.body.id, accepting)).body).toEqual(accepted.body);
    expect((await invite(owner, person.email, 'member', by)).body).toEqual(first.body);
    expect(await addressesOf(owner)).toEqual([]);
    expect((await invite(owner, person.email, 'admin', by)).body).toMatchObject({ code: 'CONFLICT' });
  });

  it('expires after seven days, and its address may be invited again', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await signUp(api);
    const sevenDaysAgo = Date.now() - 7 * DAY;
    jest.useFakeTimers({ ...fakeOnly('Date'), now: sevenDaysAgo });
    const { body } = await invite(owner, person.email).finally(() => jest.useRealTimers());
    expect(Date.parse(body.expiresAt as string)).toBeLessThan(Date.now());
    expect(await accept(body.id, person)).toMatchObject({
      status: 409,
      body: { error: 'This invitation has expired' },
    });
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toMatchObject({ total: 0 });
    const again = await invite(owner, person.email);
    expect(again.status).toBe(201);
    expect((await accept(body.id, person)).body).toMatchObject(NOT_FOUND);
    expect((await accept(again.body.id, person)).status).toBe(200);
  });
});

describe('an invitation that is revoked', () => {
  it('cannot be accepted, and its address may be invited again', async () => {
    const owner = await ownerWithWebsite(api);
    const person = await signUp(api);
    const { body } = await invite(owner, person.email);
    const revocation = await revoke(owner, body.id);
    expect({ status: revocation.status, text: revocation.text }).toEqual({ status: 204, text: '' });
    expect(revocation.headers['x-log-position']).toMatch(/^e:/);
    expect((await accept(body.id, person)).body).toMatchObject(NOT_FOUND);
    expect((await revoke(owner, body.id)).body).toMatchObject(NOT_FOUND);
    expect(await addressesOf(owner)).toEqual([]);
    expect((await invite(owner, person.email)).status).toBe(201);
  });

  it('is revoked by owners and admins, up to their own role', async () => {
    const owner = await ownerWithWebsite(api);
    const admin = await colleague(api, owner, 'admin');
    const member = await colleague(api, owner, 'member');
    const toMember = await invite(owner, 'a@example.com');
    const toOwner = await invite(owner, 'b@example.com', 'owner');
    expect((await revoke(owner, toMember.body.id, member)).status).toBe(403);
    expect((await revoke(owner, toOwner.body.id, admin)).status).toBe(403);
    expect((await revoke(owner, toMember.body.id, admin)).status).toBe(204);
    expect((await revoke(owner, toOwner.body.id)).status).toBe(204);
  });

  it('is the one whose revision If-Match names, and not one of another organization', async () => {
    const owner = await ownerWithWebsite(api);
    const other = await ownerWithWebsite(api);
    const { body } = await invite(owner, 'a@example.com');
    await invite(owner, 'b@example.com');
    const at = (revision: string) => ({ headers: { ...owner.headers, 'if-match': revision } });
    expect((await revoke(other, body.id)).body).toMatchObject(NOT_FOUND);
    expect((await revoke(owner, body.id, at('2'))).body).toMatchObject({ code: 'CONFLICT' });
    expect((await revoke(owner, body.id, at('1'))).status).toBe(204);
  });
});

it('housekeeping deletes the addresses of invitations that have expired or are gone', async () => {
  const owner = await ownerWithWebsite(api);
  const deleted = await ownerWithWebsite(api);
  await invite(owner, 'a@example.com');
  await invite(deleted, 'b@example.com');
  await ask(api, `DELETE /v1/organizations/${deleted.organizationId}`, deleted);
  const sweepAfter = (ms: number) => api.app.get(Housekeeping).sweep(new Date(Date.now() + ms));
  await sweepAfter(0);
  expect([await addressesOf(owner), await addressesOf(deleted)]).toEqual([['a@example.com'], ['b@example.com']]);
  await sweepAfter(6 * DAY);
  expect([await addressesOf(owner), await addressesOf(deleted)]).toEqual([['a@example.com'], []]);
  await sweepAfter(8 * DAY);
  expect(await addressesOf(owner)).toEqual([]);
});

const DAY = 24 * 3_600_000;
const TIME = expect.stringMatching(/Z$/) as string;
const NOT_FOUND = { code: 'NOT_FOUND', error: 'Invitation not found' };

interface By {
  readonly headers: Readonly<Record<string, string>> | Person['headers'];
}

const pathOf = ({ organizationId }: Owner) => `/v1/organizations/${organizationId}/invitations` as const;

const invite = (owner: Owner, email: string, role = 'member', { headers }: By = owner) =>
  ask(api, `POST ${pathOf(owner)}`, { body: { email, role }, headers: { ...headers } });

const accept = (id: unknown, { headers }: By) =>
  ask(api, `POST /v1/invitations/${String(id)}/accept`, { headers: { ...headers } });

const revoke = (owner: Owner, id: unknown, { headers }: By = owner) =>
  ask(api, `DELETE ${pathOf(owner)}/${String(id)}`, { headers: { ...headers } });

async function addressesOf({ organizationId }: Owner): Promise<string[]> {
  const { rows } = await api.app
    .get<Pool>(POOL)
    .query<{ email: string }>('select email from invitation_addresses where organization_id = $1', [organizationId]);
  return rows.map(({ email }) => email);
}

let api: TestApi;
let shared: Promise<Owner>;

beforeAll(async () => {
  api = await startTestApi({ MAIL_TO_FILES: '1', LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
  shared = ownerWithWebsite(api);
  await shared;
});

afterAll(() => api.close());
