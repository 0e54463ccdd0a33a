import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { runAuthorizationSuite } from '../mcp/conformance/suite';
import { freePort } from '../network/free-port';
import { CLIENT } from '../oauth/client';
import { startOAuthApi, type OAuthApi } from '../oauth/oauth-api';
import { Walk } from '../oauth/walk';

describe('the official MCP client', () => {
  it('finds the authorization server, signs in, calls tools, renews its tokens, and is shut out once they are revoked', async () => {
    const memory = new Memory();
    await expect(connected(memory)).rejects.toBeInstanceOf(UnauthorizedError);
    expect(memory.client).toMatchObject({ client_id: CLIENT.client_id });
    expect(memory.authorization?.searchParams.get('resource')).toBe(`${host}/v1/mcp`);

    const walk = new Walk(host, { ...owner, headers: {} });
    const consent = await walk.signIn(await walk.browser.open(memory.authorization!));
    expect(consent.text).toContain(`<strong>${new URL(CLIENT.client_id).host}</strong>`);
    const back = await walk.allow(consent, walk.everything(['read:data']));
    await memory.transport().finishAuth(back.searchParams);
    const first = memory.tokens();

    const client = await connected(memory);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_websites', 'query', 'list_links']));
    expect(tools.map(({ name }) => name)).not.toContain('create_link');
    const call = () => client.callTool({ name: 'list_websites', arguments: {} });
    expect(JSON.stringify((await call()).structuredContent)).toContain(owner.websiteId);

    memory.saveTokens({ ...first!, access_token: `oat_${'x'.repeat(32)}` });
    await call();
    expect(memory.tokens()?.refresh_token).not.toBe(first?.refresh_token);

    const [grant] = (await ask(api, 'GET /v1/oauth/grants', owner)).body.data as { id: string }[];
    expect((await ask(api, `DELETE /v1/oauth/grants/${grant?.id}`, owner)).status).toBe(204);
    memory.authorization = undefined;
    jest.spyOn(console, 'warn').mockReturnValue(); // it says that its tokens were refused
    await expect(call()).rejects.toBeInstanceOf(UnauthorizedError);
    expect(memory.authorization).toBeDefined();
    await client.close();
  });
});

describe('the conformance suite', () => {
  it('finds no failure in the authorization server, which it reads from the issuer alone', async () => {
    const options = ['--url', host, '--client-id', CLIENT.client_id, '--resource', `${host}/v1/mcp`];
    const port = String(await freePort());
    let shown = '';
    const { code, output } = await runAuthorizationSuite([...options, '--port', port], (text) => {
      shown += text;
      const address = /http:\S+\/oauth2\/authorize\S+\n/.exec(shown)?.[0];
      if (address === undefined) return;
      shown = '';
      void allowed(address.trim()).then((back) => fetch(back));
    });
    expect(output).toMatch(/authorization-server-metadata-endpoint: \d+ passed, 0 failed/);
    expect(output).toMatch(/authorization-code-grant: \d+ passed, 0 failed/);
    expect(code).toBe(0);
  });
});

/** Where a signed-in person who allows everything is sent. */
async function allowed(address: string): Promise<URL> {
  const walk = new Walk(host, owner);
  return walk.allow(await walk.browser.open(address), walk.everything(['read:data']));
}

/** The memory of a client between its requests, and where it wants to send the browser. */
class Memory implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined;
  authorization: URL | undefined;
  readonly redirectUrl = CLIENT.redirect_uris[0]!;
  readonly clientMetadataUrl = CLIENT.client_id;
  readonly clientMetadata = { client_name: CLIENT.client_name, redirect_uris: CLIENT.redirect_uris };
  private saved: OAuthTokens | undefined;
  private discovered: OAuthDiscoveryState | undefined;
  private verifier = '';

  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  redirectToAuthorization = (address: URL) => void (this.authorization = address);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  invalidateCredentials = () => void (this.saved = undefined);
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.discovered = state);
  discoveryState = () => this.discovered;
  state = () => 'a state';

  transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(`${host}/v1/mcp`), { authProvider: this });
  }
}

async function connected(memory: Memory): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(memory.transport());
  return client;
}

let api: OAuthApi['api'];
let host: string;
let owner: Owner;

beforeAll(async () => {
  ({ api, host } = await startOAuthApi());
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
