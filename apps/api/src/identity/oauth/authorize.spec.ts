import { generateKeyPairSync } from 'node:crypto';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { Browser, type Shown } from '@test/oauth/browser';
import { addressed, authorizeAddress, CLIENT, pkce, REDIRECT_URI } from '@test/oauth/client';
import { documentOf, PRIVATE_HOST, startOAuthApi } from '@test/oauth/oauth-api';
import { Walk } from '@test/oauth/walk';
import type { HttpsServer } from '@test/outbound/https-server';

describe('an authorization request', () => {
  it.each<[string, Changes, string]>([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with the plain method of PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with a short challenge', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
    ['with a long challenge', { code_challenge: 'x'.repeat(129) }, 'invalid_request'],
    ['with a challenge of other characters', { code_challenge: `${'x'.repeat(43)}=` }, 'invalid_request'],
    ['without resource', { resource: undefined }, 'invalid_target'],
    ['for a foreign resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for scopes that there are not', { scope: 'everything' }, 'invalid_scope'],
    ['for a token in the address', { response_type: 'token' }, 'unsupported_response_type'],
    ['that must not ask a person', { prompt: 'none' }, 'consent_required'],
    ['of a client that wants to prove itself with a key', { client_id: '/keyed.json' }, 'unauthorized_client'],
  ])('is refused to the client %s', async (_, changes, error) => {
    const { address } = await opened(changes);
    expect(`${address.origin}${address.pathname}`).toBe(REDIRECT_URI);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ error, state: 'a state', iss: host });
    expect(address.searchParams.has('code')).toBe(false);
  });

  it.each<[string, Changes]>([
    ['an address that the client did not publish', { redirect_uri: 'https://agent.example.com/other' }],
    ['an address of another host', { redirect_uri: 'https://evil.example/callback' }],
    ['no address', { redirect_uri: undefined }],
    ['no client', { client_id: undefined }],
    ['a client that is no address', { client_id: 'somebody' }],
    ['a client without https', { client_id: 'http://agent.example.com/client.json' }],
    ['a document of another client', { client_id: '/foreign.json' }],
    ['a document over 5 KB', { client_id: '/large.json' }],
    ['a document that is elsewhere', { client_id: '/moved.json' }],
    ['a document that is no JSON', { client_id: '/page.json' }],
    ['a document that cannot be fetched', { client_id: '/broken.json' }],
    ['a document with a NUL in its name', { client_id: '/nul-name.json' }],
    ['a document with a NUL in an address', { client_id: '/nul-address.json' }],
    ['a document with a NUL in a list', { client_id: '/nul-list.json' }],
  ])('with %s leads nowhere', async (_, changes) => {
    const page = await opened(changes);
    expect([page.status, page.address.origin]).toEqual([400, host]);
    expect(page.text).toContain('This request cannot be answered');
  });

  it('may use any port of this computer, as programs listen on one that is free', async () => {
    const page = await opened({ redirect_uri: 'http://127.0.0.1:51234/callback' });
    expect(page.text).toContain('a program on this computer (127.0.0.1:51234)');
  });

  it('takes documents as clients on desks publish them', async () => {
    const changes = { client_id: '/desktop.json', redirect_uri: 'http://localhost:51234/callback' };
    const page = await opened(changes);
    expect([page.status, page.text.includes('a program on this computer (localhost:51234)')]).toEqual([200, true]);
  });

  it('leaves out scopes of identity, and asks for everything without scopes', async () => {
    const asked = async (scope: string | undefined) =>
      [...(await opened({ scope })).text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, each]) => each);
    expect(await asked('openid profile read:data')).toEqual(['read:data']);
    expect(await asked(undefined)).toEqual(['read:data', 'write:data', 'manage:flags', 'read:audit']);
  });
});

describe('the document of a client', () => {
  it.each([
    ...['127.0.0.1', '[::1]', '10.0.0.7', '169.254.169.254', '192.168.1.1', '[::ffff:127.0.0.1]', 'localhost'],
    PRIVATE_HOST,
  ])('is not fetched from %s', async (name) => {
    const { length } = documents.connections;
    expect((await opened({ client_id: `https://${name}:${documents.port}/client.json` })).status).toBe(400);
    expect(documents.connections.length).toBe(length);
  });
});

describe('the pages', () => {
  it('show the name of a client on one line, in one direction and up to 80 characters', async () => {
    const { status, text } = await opened({ client_id: '/hostile.json' });
    const [, name = ''] = /It calls itself “<bdi>([^<]*)<\/bdi>”/.exec(text) ?? [];
    expect([status, name]).toEqual([200, `Ledgerline gro.elpmaxe. ${'😀'.repeat(28)}…`]);
  });

  it('show the host of a client whose name has nothing to be seen', async () => {
    const { text } = await opened({ client_id: '/nameless.json' });
    expect(text).toContain(`It calls itself “<bdi>${new URL(CLIENT.client_id).host}</bdi>”`);
  });

  it('say of each scope what it covers where only some websites are chosen', async () => {
    const { text } = await opened({ scope: undefined });
    expect(text).toContain('Their statistics, settings and flags. No links, no audit log.');
    expect([...text.matchAll(/With only some websites: ([^<]+)/g)].map(([, covered]) => covered)).toEqual([
      'no links.',
      'these, and no links.',
      'the flags of these.',
      'nothing.',
    ]);
  });

  it('run and load nothing, are in no frame, and lead only here and to the client', async () => {
    const { headers, text } = await opened({});
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self' https:\/\/agent\.example\.com; frame-ancestors 'none'$/,
    );
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(text).not.toContain('<b>Smith');
    expect(text).toContain('Agent &#60;b&#62;Smith&#60;/b&#62;');
    expect(text).not.toMatch(/<script|\son\w+=|javascript:/i);
  });

  it('are not shown for a request that was changed', async () => {
    const { address } = await opened({});
    address.searchParams.set('scope', 'read:data write:data manage:flags');
    for (const path of ['consent', 'sign-in'])
      expect((await new Browser(host).open(address.href.replace('consent?', `${path}?`))).status).toBe(400);
  });

  it('take no form of another site, of another session or without its token', async () => {
    const walk = new Walk(host, owner);
    const page = await walk.consentPage();
    const fields = [...walk.everything(), ['decision', 'allow']] as const;
    const stranger = new Browser(host, (await ownerWithWebsite(api)).headers.cookie);
    expect((await stranger.submit(page, fields)).status).toBe(403);
    const untold = { ...page, text: page.text.replace(/name="token" value="[^"]+"/, 'name="token" value="x"') };
    expect((await walk.browser.submit(untold, fields)).status).toBe(403);
    for (const path of ['consent', 'sign-in', 'grants']) {
      const headers = { ...owner.headers, origin: 'https://evil.example' };
      expect((await ask(api, `POST /v1/auth/oauth2/${path}`, { headers, body: {} })).status).toBe(403);
    }
  });

  it('are the only routes beside the endpoints for tokens that take forms', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...owner.headers };
    expect((await ask(api, 'POST /v1/organizations', { headers, body: 'name=Acme' })).status).toBe(415);
  });
});

describe('the documents', () => {
  it('name each other', async () => {
    const resource = (await ask(api, 'GET /.well-known/oauth-protected-resource/v1/mcp')).body;
    expect(resource).toMatchObject({ resource: `${host}/v1/mcp`, authorization_servers: [host] });
    expect((await ask(api, 'GET /.well-known/oauth-protected-resource')).body).toEqual(resource);
    const { body } = await ask(api, 'GET /.well-known/oauth-authorization-server');
    expect(body).toMatchObject({ issuer: host, code_challenge_methods_supported: ['S256'] });
    expect(body.scopes_supported).toEqual(resource.scopes_supported);
    const { headers, status } = await ask(api, 'POST /v1/mcp', { body: {} });
    const challenge = `Bearer resource_metadata="${host}/.well-known/oauth-protected-resource/v1/mcp"`;
    expect([status, headers['www-authenticate']]).toEqual([401, challenge]);
  });
});

type Changes = Readonly<Record<string, string | undefined>>;

let api: TestApi;
let host: string;
let documents: HttpsServer;
let owner: Owner;

/** Returns what a signed-in person sees of a request with these changes. */
const opened = (changes: Changes): Promise<Shown> =>
  new Browser(host, owner.headers.cookie).open(authorizeAddress(host, pkce(), addressed(changes)));

/** Any port, a grant type that we do not have, and an address of another host. */
const DESKTOP = {
  ...CLIENT,
  client_uri: 'https://editor.example.com',
  logo_uri: 'https://editor.example.com/logo.png',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  application_type: 'native',
};

/** Turns the text behind it around, breaks lines, and goes on and on. */
const HOSTILE = `Ledgerline\u202e\r\n\u0007\u2028gro.elpmaxe.\u2066${'😀'.repeat(200)}`;

const KEYS = { keys: [generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })] };

const DOCUMENTS: Readonly<Record<string, (address: string) => Response>> = {
  '/client.json': () => documentOf(CLIENT),
  '/desktop.json': (client_id) => documentOf({ ...DESKTOP, client_id }),
  '/foreign.json': () => Response.json(CLIENT),
  '/large.json': () => Response.json({ ...CLIENT, contacts: ['x'.repeat(6_000)] }),
  '/moved.json': () => new Response(null, { status: 302, headers: { location: CLIENT.client_id } }),
  '/hostile.json': (client_id) => documentOf({ ...CLIENT, client_id, client_name: HOSTILE }),
  '/nameless.json': (client_id) =>
    documentOf({ ...CLIENT, client_id, client_name: '\u200b\u202e\u3164\u200d\u00ad\u2800' }),
  '/keyed.json': (client_id) =>
    documentOf({ ...CLIENT, client_id, token_endpoint_auth_method: 'private_key_jwt', jwks: KEYS }),
  '/broken.json': () => new Response('', { status: 502 }),
  '/nul-name.json': (client_id) => documentOf({ ...CLIENT, client_id, client_name: 'A\u0000gent' }),
  '/nul-address.json': (client_id) =>
    documentOf({ ...CLIENT, client_id, client_uri: 'https://agent.example.com/\u0000' }),
  '/nul-list.json': (client_id) => documentOf({ ...CLIENT, client_id, contacts: ['\u0000'] }),
  '/page.json': () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
};

beforeAll(async () => {
  ({ api, host, documents } = await startOAuthApi((address) => DOCUMENTS[new URL(address).pathname]!(address)));
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
