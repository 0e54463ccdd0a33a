import type { Pool } from 'pg';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { ask } from '@test/api/ask';
import { colleague, invite, join, ownerWithWebsite, signUp, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { newGrant } from '@test/oauth/new-grant';
import { EVENT_STORE, POOL } from '../../tokens';

const VISITOR = 'ab'.repeat(16);

describe('an erasure', () => {
  let api: TestApi;
  let owner: Owner;
  let member: Person;

  beforeAll(async () => {
    api = await startTestApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
    owner = await ownerWithWebsite(api);
  });
  beforeEach(async () => (member = await colleague(api, owner, 'admin')));
  afterAll(() => api.close());

  const erase = (subject: unknown, headers: Readonly<Record<string, string>> = {}) =>
    ask(api, 'POST /v1/erasures', {
      body: { organizationId: owner.organizationId, subject },
      headers: { ...owner.headers, ...headers },
    });
  const entries = async () => {
    const path = `/v1/audit-log?organizationId=${owner.organizationId}&limit=200` as const;
    return (await ask(api, `GET ${path}`, owner)).body.data as {
      readonly action: string;
      readonly actor: { readonly id: string; readonly name: string | null };
      readonly target: { readonly id: string; readonly name: string | null };
      readonly changes: Readonly<Record<string, unknown>>;
      readonly ip: string | null;
    }[];
  };
  const of = async (person: Person) => (await entries()).filter(({ actor }) => actor.id === person.id);
  /** As a backup holds them. */
  const wrappedKeys = async (): Promise<ReadonlyMap<string, Buffer>> => {
    const all = 'select key_id, wrapped from subject_keys where wrapped is not null';
    const { rows } = await api.app.get<Pool>(POOL).query<{ key_id: string; wrapped: Buffer }>(all);
    return new Map(rows.map(({ key_id, wrapped }) => [key_id, wrapped]));
  };
  const isSignedIn = async (person: Person) => (await ask(api, 'GET /v1/organizations', person)).status === 200;
  const rename = (name: string, person: Person) =>
    ask(api, `PATCH /v1/websites/${owner.websiteId}`, { body: { name }, headers: person.headers });

  it('removes a person, and name and address from the audit log, and nothing else', async () => {
    await rename('Renamed', member);
    const before = await entries();
    expect(await of(member)).toContainEqual(expect.objectContaining({ ip: '127.0.0.1' }));
    const { status, body } = await erase({ userId: member.id });
    const receipt = {
      id: expect.stringMatching(/^era_/) as string,
      organizationId: owner.organizationId,
      subject: { userId: member.id },
      state: 'completed',
      requestedBy: owner.id,
      proof: { destroyedKeyIds: [expect.stringMatching(/^sk_/), expect.stringMatching(/^sk_/)] },
    };
    expect({ status, body }).toMatchObject({ status: 202, body: receipt });
    const [erased, removed, ...others] = await entries();
    expect(erased).toMatchObject({ action: 'subject.erased', target: { type: 'person', id: member.id } });
    expect(removed).toMatchObject({ action: 'member.removed', target: { type: 'member', id: member.id, name: null } });
    const without = before.map((entry) => ({
      ...entry,
      target: entry.target.id === member.id ? { ...entry.target, name: null } : entry.target,
      ...(entry.target.name === member.email && {
        target: { ...entry.target, name: null },
        changes: { ...entry.changes, email: { before: null, after: 'erased' } },
      }),
      ...(entry.actor.id === member.id ? { actor: { ...entry.actor, name: null }, ip: null, userAgent: null } : {}),
    }));
    expect(others).toEqual(without);
    expect((await of(owner)).every(({ actor }) => actor.name === 'Ada')).toBe(true);
    const verdict = await verifyChain(api.app.get<EventStore>(EVENT_STORE), owner.organizationId);
    expect(verdict).toMatchObject({ valid: true, events: others.length + 2 });
  });

  it('is answered alike when it is repeated, and does not touch what came later', async () => {
    await ask(api, 'POST /v1/organizations', { body: { name: 'Own' }, headers: member.headers });
    const key = { 'idempotency-key': 'erase-once' };
    const first = await erase({ userId: member.id }, key);
    await join(api, owner, member, 'admin');
    await rename('Renamed again', member);
    expect((await erase({ userId: member.id }, key)).body).toEqual(first.body);
    expect((await of(member))[0]).toMatchObject({ action: 'website.updated', actor: { name: 'Ada' } });
  });

  it('deletes the account, unless its person is a member of another organization', async () => {
    const { body: only } = await erase({ userId: member.id });
    expect(only.state).toBe('completed');
    expect(await isSignedIn(member)).toBe(false);
    const busy = await colleague(api, owner, 'member');
    const elsewhere = await ownerWithWebsite(api);
    await join(api, elsewhere, busy, 'member');
    const { body: kept } = await erase({ userId: busy.id });
    expect(kept.state).toBe('account_kept');
    expect(await isSignedIn(busy)).toBe(true);
    expect((await ask(api, 'GET /v1/organizations', busy)).body).toMatchObject({ total: 1 });
    const body = { currentPassword: 'correct horse battery' };
    await ask(api, 'POST /v1/auth/delete-user', { body, headers: busy.headers });
    expect((await ask(api, `GET /v1/erasures/${kept.id as string}`, owner)).body.state).toBe('completed');
  });

  it('ends the grants and the invitations of a person in the organization', async () => {
    const grantId = await newGrant(api, { ...owner, id: member.id });
    await join(api, await ownerWithWebsite(api), member, 'member');
    await erase({ userId: member.id });
    expect(api.app.get(Registry).find('oauthGrants', grantId)).toBeUndefined();
    expect((await entries()).map(({ action }) => action).slice(0, 3)).toEqual([
      'subject.erased',
      'oauth_grant.revoked',
      'member.removed',
    ]);
    const returned = await invite(api, owner, member.email);
    await erase({ userId: member.id });
    expect((await ask(api, `POST /v1/invitations/${returned}/accept`, member)).status).toBe(404);
    const path = `/v1/organizations/${owner.organizationId}/invitations` as const;
    expect((await ask(api, `GET ${path}`, owner)).body.data).toEqual([]);
  });

  it('of oneself leaves no name behind, and is not for the last owner', async () => {
    const second = await colleague(api, owner, 'owner');
    const body = { organizationId: owner.organizationId, subject: { userId: second.id } };
    expect(await ask(api, 'POST /v1/erasures', { body, headers: second.headers })).toMatchObject({
      status: 202,
      body: { state: 'completed', requestedBy: second.id },
    });
    for (const { actor, ip } of await of(second)) expect([actor.name, ip]).toEqual([null, null]);
    expect(await erase({ userId: owner.id })).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await isSignedIn(owner)).toBe(true);
  });

  it('has a receipt, which says so when a key exists again', async () => {
    const kept = await wrappedKeys();
    const { body } = await erase({ userId: member.id });
    const receipt = () => ask(api, `GET /v1/erasures/${body.id as string}`, owner);
    expect(await receipt()).toMatchObject({ status: 200, body });
    const keyId = (body.proof as { destroyedKeyIds: string[] }).destroyedKeyIds.find((id) => kept.has(id));
    const restore = 'update subject_keys set wrapped = $1, destroyed_at = null where key_id = $2';
    await api.app.get<Pool>(POOL).query(restore, [kept.get(keyId!), keyId]);
    expect((await receipt()).body.state).toBe('incomplete');
    expect((await erase({ userId: member.id })).body.state).toBe('completed');
    expect((await receipt()).body.state).toBe('completed');
  });

  it('reaches a member who has done nothing but join', async () => {
    const quiet = await colleague(api, owner, 'member');
    const { body } = await erase({ userId: quiet.id });
    expect(body.proof).toMatchObject({ destroyedKeyIds: [expect.any(String), expect.any(String)] });
  });

  const invited = async (invitationId: string) => {
    const { target, changes } = (await entries()).find(
      (entry) => entry.action === 'member.invited' && entry.target.id === invitationId,
    )!;
    return [target, changes['email']];
  };
  const erasedAs = (id: string) => [
    { type: 'invitation', id, name: null },
    { before: null, after: 'erased' },
  ];

  it('of an invitation removes its address, and the invitation can no longer be accepted', async () => {
    const person = await signUp(api);
    const id = await invite(api, owner, person.email);
    const other = await invite(api, owner, 'other@example.com');
    const { status, body } = await erase({ invitationId: id });
    const proof = { destroyedKeyIds: [expect.stringMatching(/^sk_/)] };
    expect({ status, body }).toMatchObject({
      status: 202,
      body: { subject: { invitationId: id }, state: 'completed', proof },
    });
    expect(await ask(api, `GET /v1/erasures/${body.id as string}`, owner)).toMatchObject({ body });
    expect((await entries())[0]).toMatchObject({ action: 'subject.erased', target: { type: 'invitation', id } });
    expect(await invited(id)).toEqual(erasedAs(id));
    expect(await invited(other)).toMatchObject([{ name: 'other@example.com' }, { after: 'other@example.com' }]);
    expect((await ask(api, `POST /v1/invitations/${id}/accept`, person)).status).toBe(404);
    const verdict = await verifyChain(api.app.get<EventStore>(EVENT_STORE), owner.organizationId);
    expect(verdict.valid).toBe(true);
  });

  it('of a person removes the address from every invitation to it', async () => {
    const person = await signUp(api);
    const revoked = await invite(api, owner, person.email.toUpperCase());
    await ask(api, `DELETE /v1/organizations/${owner.organizationId}/invitations/${revoked}`, owner);
    const accepted = await invite(api, owner, person.email);
    expect((await ask(api, `POST /v1/invitations/${accepted}/accept`, person)).status).toBe(200);
    expect((await erase({ userId: person.id })).body).toMatchObject({ state: 'completed' });
    for (const id of [revoked, accepted]) expect(await invited(id)).toEqual(erasedAs(id));
    const log = JSON.stringify(await entries()).toLowerCase();
    expect(log).not.toContain(person.email.toLowerCase());
  });

  it.each([
    [{ websiteId: 'site_1', visitorId: VISITOR, profileId: 'p' }],
    [{ visitorId: VISITOR }],
    [{ userId: 'usr_1', profileId: 'p' }],
    [{ websiteId: 'site_1' }],
    [{ userId: 'usr_1', invitationId: 'inv_1' }],
  ])('of anything else is refused clearly: %j', async (subject) => {
    const { status, body } = await erase(subject);
    expect(status).toBe(400);
    expect(body.details).toContainEqual({
      field: 'subject',
      message:
        'subject must be {"userId": …}, {"invitationId": …} or {"websiteId": …} with "profileId", "visitorId" or "anonymousId".',
    });
  });

  it.each([[undefined], [null], ['usr_1'], [[]], [{}], [{ userId: '' }], [{ userId: 7 }]])(
    'needs a person: %j',
    async (subject) => expect(await erase(subject)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } }),
  );

  it('is for people whom the organization knows', async () => {
    for (const userId of ['usr_unknown', (await signUp(api)).id])
      expect(await erase({ userId })).toMatchObject({ status: 404, body: { error: 'Person not found' } });
    for (const id of ['era_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E', '%01', '__proto__'])
      expect(await ask(api, `GET /v1/erasures/${id}`, owner)).toMatchObject({
        status: 404,
        body: { error: 'Erasure not found' },
      });
    const theirs = await ownerWithWebsite(api);
    for (const invitationId of ['inv_unknown', 'usr_1', theirs.id])
      expect(await erase({ invitationId })).toMatchObject({ status: 404, body: { error: 'Invitation not found' } });
  });
});
