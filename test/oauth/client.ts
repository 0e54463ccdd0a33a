import { createHash, randomBytes } from 'node:crypto';

/** Where clients publish their documents. */
export const CLIENT_HOST = 'agent.example.com';

/** A client with a metadata document; its address has the port of the server that publishes it (`publishAt`). */
export const CLIENT = {
  client_id: `https://${CLIENT_HOST}/client.json`,
  client_name: 'Agent <b>Smith</b>',
  client_uri: 'https://agent.example.com',
  redirect_uris: ['http://127.0.0.1:9999/callback', 'https://agent.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export function publishAt(port: number): void {
  CLIENT.client_id = `https://${CLIENT_HOST}:${port}/client.json`;
}

/** With the address of a document on the server of the client, where they name its path. */
export const addressed = (changes: Parameters): Parameters =>
  changes['client_id']?.startsWith('/')
    ? { ...changes, client_id: new URL(changes['client_id'], CLIENT.client_id).href }
    : changes;

export const REDIRECT_URI = 'https://agent.example.com/callback';

type Parameters = Readonly<Record<string, string | undefined>>;

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address at which a browser begins; parameters that are undefined are left out. */
export function authorizeAddress(host: string, { challenge }: Pkce, changes: Parameters = {}): string {
  const parameters: Parameters = {
    response_type: 'code',
    client_id: CLIENT.client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${host}/v1/mcp`,
    scope: 'read:data write:data read:audit',
    state: 'a state',
    ...changes,
  };
  return `${host}/v1/auth/oauth2/authorize?${encoded(parameters)}`;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}

interface TokenResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A request to the token or revocation endpoint. */
export async function post(
  host: string,
  endpoint: 'token' | 'revoke',
  form: Parameters,
  more: Readonly<Record<string, string>> = {},
): Promise<TokenResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...more };
  const response = await fetch(`${host}/v1/auth/oauth2/${endpoint}`, { method: 'POST', headers, body: encoded(form) });
  return { status: response.status, body: (await response.json()) as TokenResponse['body'] };
}

export const exchange = (host: string, code: string, { verifier }: Pkce, changes: Parameters = {}) =>
  post(host, 'token', {
    grant_type: 'authorization_code',
    client_id: CLIENT.client_id,
    redirect_uri: REDIRECT_URI,
    resource: `${host}/v1/mcp`,
    code,
    code_verifier: verifier,
    ...changes,
  });

export const refresh = (
  host: string,
  refresh_token: string,
  changes: Parameters = {},
  headers: Readonly<Record<string, string>> = {},
) =>
  post(host, 'token', { grant_type: 'refresh_token', client_id: CLIENT.client_id, refresh_token, ...changes }, headers);

const encoded = (parameters: Parameters): string => {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new URLSearchParams(given).toString();
};
