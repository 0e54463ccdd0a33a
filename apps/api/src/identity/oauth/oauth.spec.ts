import type { Pool } from 'pg';
import type { GrantCaller } from '@ledgerline/domain/access/caller';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { colleague, ownerWithWebsite, type Owner } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { addressed, authorizeAddress, CLIENT, exchange, post, refresh } from '@test/oauth/client';
import { documentOf, startOAuthApi } from '@test/oauth/oauth-api';
import { Walk } from '@test/oauth/walk';
import { POOL } from '../../tokens';
import { AccessTokens } from '../auth/access-tokens';
import { StoredTokens } from './stored-tokens';

describe('a person who allows a client', () => {
  it('gives it tokens for one organization, with the chosen scopes and websites', async () => {
    const choice = [
      [`websites_${owner.organizationId}`, 'some'],
      ['websiteId', owner.websiteId],
      ['websiteId', 'site_of_others'],
      ['scope', 'read:data'],
      ['scope', 'manage:flags'], // was not asked for
    ] as const;
    const tokens = await new Walk(host, owner).tokens(choice);
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'read:data' });
    expect(await callerOf(tokens.access_token)).toMatchObject({
      organizationId: owner.organizationId,
      scopes: ['read:data'],
      resources: { [`website:${owner.websiteId}`]: [] },
      person: { id: owner.id, email: owner.email },
      role: 'owner',
    });
  });

  it('is sent back with code, state and issuer, and finds the grant in the own list and in the audit log', async () => {
    const walk = new Walk(host, owner);
    const back = await walk.allow(await walk.consentPage());
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: TEXT, state: 'a state', iss: host });
    const [grant] = (await ask(api, 'GET /v1/oauth/grants', owner)).body.data as { id: string }[];
    const shown = { clientId: CLIENT.client_id, scopes: ['read:data', 'write:data'], websiteIds: null };
    expect(grant).toMatchObject({ ...shown, organizationId: owner.organizationId, clientName: CLIENT.client_name });
    const [entry] = await audited('oauth_grant.created');
    expect(entry).toMatchObject({
      actor: { type: 'user', id: owner.id, name: 'Ada' },
      target: { type: 'oauth_grant', id: grant?.id, name: named() },
      changes: {
        clientId: { after: CLIENT.client_id },
        scopes: { after: shown.scopes },
        websiteIds: { after: 'all' },
      },
    });
  });

  it('may sign in again after a wrong password', async () => {
    const walk = new Walk(host, { ...owner, headers: {} });
    const page = await walk.browser.open(authorizeAddress(host, walk.proof));
    const again = await walk.signIn(page, 'wrong password');
    expect([again.address.pathname, again.text.includes('Email or password is wrong')]).toEqual([SIGN_IN, true]);
    expect((await walk.signIn(again)).address.pathname).toBe(CONSENT);
  });

  it('is asked again each time, and has to choose something', async () => {
    const walk = new Walk(host, owner);
    await walk.tokens();
    const page = await walk.consentPage();
    expect(page.address.pathname).toBe(CONSENT);
    const all = [`websites_${owner.organizationId}`, 'all'] as const;
    const choices = { scopes: [all], websites: [['scope', 'read:data']] } as const;
    for (const [problem, choice] of Object.entries(choices))
      expect((await walk.allow(page, choice)).searchParams.get('problem')).toBe(problem);
  });

  it('may deny it', async () => {
    const walk = new Walk(host, owner);
    const { address } = await walk.browser.submit(await walk.consentPage(), [['decision', 'deny']]);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      error: 'access_denied',
      error_description: TEXT,
      state: 'a state',
      iss: host,
    });
  });
});

describe('an access token', () => {
  it('is refused by every route that is not for agents', async () => {
    const { access_token } = await new Walk(host, owner).tokens();
    const sent: Record<string, string>[] = [{ authorization: `Bearer ${access_token}` }, { 'x-api-key': access_token }];
    for (const headers of sent) expect((await ask(api, 'GET /v1/query/websites', { headers })).status).toBe(401);
  });

  it('has the role that its person has now, and none without membership', async () => {
    const person = await colleague(api, owner, 'admin');
    const member = { ...person, organizationId: owner.organizationId };
    const { access_token, refresh_token } = await new Walk(host, member).tokens();
    expect((await callerOf(access_token))?.role).toBe('admin');
    const path = `/v1/organizations/${owner.organizationId}/members/${person.id}`;
    await ask(api, `PATCH ${path}`, { headers: owner.headers, body: { role: 'member' } });
    expect((await callerOf(access_token))?.role).toBe('member');
    await ask(api, `DELETE ${path}`, owner);
    expect(await callerOf(access_token)).toBeUndefined();
    expect(await refresh(host, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('is dead when the revocation of its grant is answered, and so is its refresh token', async () => {
    const { access_token, refresh_token } = await new Walk(host, owner).tokens();
    const caller = await callerOf(access_token);
    expect((await ask(api, `DELETE /v1/oauth/grants/${caller?.id}`, owner)).status).toBe(204);
    expect(await callerOf(access_token)).toBeUndefined();
    expect(await refresh(host, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await ask(api, `DELETE /v1/oauth/grants/${caller?.id}`, owner)).status).toBe(404);
    const [entry] = await audited('oauth_grant.revoked');
    expect(entry).toMatchObject({
      actor: { id: owner.id },
      target: { id: caller?.id },
      changes: { reason: { after: 'person' } },
    });
  });

  it('is revoked by its client, with either token, and by no other client', async () => {
    for (const name of ['access_token', 'refresh_token'] as const) {
      const tokens = await new Walk(host, owner).tokens();
      const token = tokens[name];
      const foreign = addressed({ token, client_id: '/other.json' });
      expect((await post(host, 'revoke', foreign)).status).toBe(200);
      expect(await callerOf(tokens.access_token)).toBeDefined();
      expect((await post(host, 'revoke', { token, client_id: CLIENT.client_id })).status).toBe(200);
      expect(await callerOf(tokens.access_token)).toBeUndefined();
    }
    const [entry] = await audited('oauth_grant.revoked');
    expect(entry).toMatchObject({ actor: { type: 'user', id: owner.id }, metadata: { client: named() } });
  });

  it('ends with the password of its person, and so does the refresh token', async () => {
    const person = await ownerWithWebsite(api);
    const { access_token, refresh_token } = await new Walk(host, person).tokens();
    const body = { currentPassword: 'correct horse battery', newPassword: 'a newer password' };
    expect((await ask(api, 'POST /v1/auth/change-password', { body, headers: person.headers })).status).toBe(200);
    expect(await callerOf(access_token)).toBeUndefined();
    expect(await refresh(host, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('a refresh token', () => {
  it('is replaced with each use, and may ask for less', async () => {
    const first = await new Walk(host, owner).tokens();
    const { status, body } = await refresh(host, first.refresh_token, { scope: 'read:data' });
    expect([status, body.scope]).toEqual([200, 'read:data']);
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect((await callerOf(String(body.access_token)))?.scopes).toEqual(['read:data']);
  });

  it('ends its grant when it is used a second time', async () => {
    const first = await new Walk(host, owner).tokens();
    const second = await refresh(host, first.refresh_token);
    const again = await refresh(host, first.refresh_token, {}, { 'if-match': '999', 'idempotency-key': 'x' });
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await callerOf(String(second.body.access_token))).toBeUndefined();
    expect((await refresh(host, String(second.body.refresh_token))).status).toBe(400);
    const [entry] = await audited('oauth_grant.revoked');
    expect(entry).toMatchObject({ actor: { type: 'system' }, changes: { reason: { after: 'reuse' } } });
  });
});

describe('a code', () => {
  it.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'x'.repeat(42) }, 'invalid_request'],
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['another redirect address', { redirect_uri: 'http://127.0.0.1:9999/callback' }, 'invalid_grant'],
    ['another client', { client_id: '/other.json' }, 'invalid_grant'],
    ['a foreign resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['no code', { code: undefined }, 'invalid_request'],
  ])('is refused with %s', async (_, changes, error) => {
    const walk = new Walk(host, owner);
    const code = (await walk.allow(await walk.consentPage())).searchParams.get('code')!;
    expect(await exchange(host, code, walk.proof, addressed(changes))).toMatchObject({
      status: 400,
      body: { success: false, error, code: 'VALIDATION_ERROR', requestId: TEXT },
    });
  });

  it('ends its grant when it is used a second time', async () => {
    const walk = new Walk(host, owner);
    const code = (await walk.allow(await walk.consentPage())).searchParams.get('code')!;
    const { body } = await exchange(host, code, walk.proof);
    expect(await exchange(host, code, walk.proof)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await callerOf(String(body.access_token))).toBeUndefined();
  });

  it('expires', async () => {
    const walk = new Walk(host, owner);
    const code = (await walk.allow(await walk.consentPage())).searchParams.get('code')!;
    await run(pool, sql`update auth.verification set "expiresAt" = now() - interval '1 second'`);
    expect(await exchange(host, code, walk.proof)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('codes and tokens', () => {
  it('are deleted after they have expired', async () => {
    const { access_token, refresh_token } = await new Walk(host, owner).tokens();
    const stored = api.app.get(StoredTokens, { strict: false });
    await stored.sweep();
    expect(await stored.accessToken(access_token)).toBeDefined();
    for (const table of ['oauthAccessToken', 'oauthRefreshToken'])
      await run(pool, { text: `update auth."${table}" set "expiresAt" = now() - interval '2 days'`, values: [] });
    await stored.sweep();
    expect([await stored.accessToken(access_token), await stored.refreshToken(refresh_token)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('are stored as hashes and are in no log line and no event', async () => {
    const walk = new Walk(host, owner);
    const code = (await walk.allow(await walk.consentPage())).searchParams.get('code')!;
    const { body } = await exchange(host, code, walk.proof);
    await refresh(host, String(body.refresh_token));
    const secrets = [code, body.access_token, body.refresh_token].map((secret) => String(secret).replace(/^o.t_/, ''));
    const tables = ['auth."oauthAccessToken"', 'auth."oauthRefreshToken"', 'auth.verification', 'events'];
    for (const table of tables) {
      const rows = await run(pool, { text: `select * from ${table}`, values: [] });
      for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
    }
    for (const secret of secrets) expect(api.log.join('\n')).not.toContain(secret);
  });
});

/** As the audit log names the client. */
const named = () => `${CLIENT.client_name} (${new URL(CLIENT.client_id).host})`;

const SIGN_IN = '/v1/auth/oauth2/sign-in';
const CONSENT = '/v1/auth/oauth2/consent';
const TEXT = expect.any(String) as string;

let api: TestApi;
let host: string;
let owner: Owner;
let pool: Pool;

beforeAll(async () => {
  ({ api, host } = await startOAuthApi((address) => documentOf({ ...CLIENT, client_id: address })));
  owner = await ownerWithWebsite(api);
  pool = api.app.get<Pool>(POOL);
});

afterAll(() => api.close());

const callerOf = (token: string): Promise<GrantCaller | undefined> => api.app.get(AccessTokens).callerOf(token);

async function audited(action: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const path = `/v1/audit-log?organizationId=${owner.organizationId}&action=${action}`;
  return (await ask(api, `GET ${path}`, owner)).body.data as Readonly<Record<string, unknown>>[];
}
