import { Inject, Injectable } from '@nestjs/common';
import { GRANT_SCOPES, type GrantScope } from '@ledgerline/contracts/events/api-key.events';
import { isObject } from '@ledgerline/contracts/json';
import { hostOf, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isLoopbackHost } from '@ledgerline/platform/http/address';
import { displayName } from '../../http/fields';
import { SETTINGS } from '../../tokens';
import { Accounts } from '../accounts/accounts';
import { consentTo, CONSENT_PAGE, mcpResource, OFFLINE_ACCESS, SIGN_IN_PAGE } from '../accounts/oauth-plugins';
import { StoredTokens } from './stored-tokens';

/** Where a browser goes next: to one of our pages, back to the client, or nowhere. */
export type OAuthRedirect =
  | { readonly to: 'page' | 'client'; readonly address: string }
  | { readonly to: 'nowhere'; readonly reason: string };

/** An answer of the token or revocation endpoint. */
export interface TokenAnswer {
  readonly ok: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** OAuth as the account library implements it, with our issuer, our pages and our one resource. */
@Injectable()
export class AuthorizationServer {
  private readonly origin: string;

  constructor(
    private readonly accounts: Accounts,
    private readonly stored: StoredTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.origin = new URL(settings.publicApiUrl).origin;
  }

  /** Checks client, redirect address, PKCE, scopes and resource of a request. */
  async authorize(query: URLSearchParams, cookie: string | undefined): Promise<OAuthRedirect> {
    const asked = withDefaults(query);
    const response = await this.send(`authorize?${asked.toString()}`, { headers: headersOf(cookie) });
    const location = response.headers.get('location');
    if (location === null) return { to: 'nowhere', reason: await reasonIn(response) };
    const address = new URL(location, this.origin);
    if (address.pathname === `${LIBRARY}/error`)
      return { to: 'nowhere', reason: sentence(address.searchParams.get('error_description')) };
    if (address.pathname !== SIGN_IN_PAGE && address.pathname !== CONSENT_PAGE) return this.toClient(address);
    const refused = await this.refusalOf(asked);
    if (refused) return this.toClient(errorAddress(asked, ...refused));
    return { to: 'page', address: `${address.pathname.split('/').at(-1) ?? ''}${address.search}` };
  }

  /** The error of OAuth for what the library takes and we do not; undefined for a request that is right. */
  private async refusalOf(asked: URLSearchParams): Promise<[error: string, description: string] | undefined> {
    if (!(await this.stored.isPublicClient(asked.get('client_id') ?? '')))
      return ['unauthorized_client', 'token_endpoint_auth_method must be none'];
    if (!PKCE.test(asked.get('code_challenge') ?? '')) return ['invalid_request', `code_challenge ${LENGTH_OF_PKCE}`];
    const resource = mcpResource(this.settings);
    const resources = asked.getAll('resource');
    const isRight = resources.length === 1 && resources[0] === resource;
    return isRight ? undefined : ['invalid_target', `resource must be ${resource}`];
  }

  /** The request that a page got; undefined when it has expired or was changed. */
  async verified(signed: string): Promise<AuthorizationRequest | undefined> {
    const client_id = new URLSearchParams(signed).get('client_id') ?? '';
    const response = await this.post('public-client-prelogin', { client_id, oauth_query: signed });
    if (response.status !== 200) return undefined;
    const { client_name: name } = await fieldsIn(response);
    return authorizationRequest(signed, typeof name === 'string' ? name : client_id);
  }

  /** The address that hands a code to the client; its tokens will belong to the grant. */
  allow(signed: string, cookie: string, grantId: string, scopes: readonly string[]): Promise<OAuthRedirect> {
    const scope = [...scopes, OFFLINE_ACCESS].join(' ');
    return consentTo(grantId, () => this.decide({ accept: true, scope, oauth_query: signed }, cookie));
  }

  /** The address that hands the denial to the client. */
  deny(signed: string, cookie: string): Promise<OAuthRedirect> {
    return this.decide({ accept: false, oauth_query: signed }, cookie);
  }

  async token(form: URLSearchParams): Promise<TokenAnswer> {
    const verifier = form.get('code_verifier');
    if (verifier !== null && !PKCE.test(verifier))
      return { ok: false, body: { error: 'invalid_request', error_description: `code_verifier ${LENGTH_OF_PKCE}` } };
    const response = await this.send('token', { method: 'POST', body: form });
    return { ok: response.ok, body: await fieldsIn(response) };
  }

  private async decide(decision: object, cookie: string): Promise<OAuthRedirect> {
    const response = await this.post('consent', decision, cookie);
    if (response.status !== 200) return { to: 'nowhere', reason: await reasonIn(response) };
    const { url } = (await response.json()) as { readonly url: string };
    const address = new URL(url, this.origin);
    return address.origin === this.origin && address.pathname.startsWith(LIBRARY)
      ? { to: 'nowhere', reason: sentence(address.searchParams.get('error_description')) }
      : this.toClient(address);
  }

  private post(endpoint: string, body: object, cookie?: string): Promise<Response> {
    const headers = { ...headersOf(cookie), 'content-type': 'application/json', origin: this.origin };
    return this.send(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  private send(endpoint: string, init: RequestInit): Promise<Response> {
    return this.accounts.handle(new Request(`${this.origin}${LIBRARY}/oauth2/${endpoint}`, init));
  }

  /** The library names an issuer of its own (RFC 9207), and answers some requests in the fragment. */
  private toClient(address: URL): OAuthRedirect {
    for (const [name, value] of new URLSearchParams(address.hash.slice(1))) address.searchParams.set(name, value);
    address.hash = '';
    address.searchParams.set('iss', this.settings.publicApiUrl);
    return { to: 'client', address: address.href };
  }
}

/** A challenge or verifier (RFC 7636), which the library takes in any length. */
const PKCE = /^[\w.~-]{43,128}$/;
const LENGTH_OF_PKCE = 'must have 43 to 128 letters, digits or any of -._~';

/** Where the library answers. */
const LIBRARY = '/v1/auth';

const headersOf = (cookie: string | undefined): Record<string, string> => (cookie === undefined ? {} : { cookie });

/** Scopes that we do not have are left out, as identity scopes that many clients ask for; without any, all are asked for. */
function withDefaults(query: URLSearchParams): URLSearchParams {
  const asked = new URLSearchParams(query);
  const named = asked.get('scope')?.split(' ').filter(Boolean) ?? [];
  const granted = grantScopes(asked.get('scope'));
  const unknown = named.filter((scope) => !granted.some((each) => each === scope) && !IGNORED_SCOPES.includes(scope));
  const scopes = granted.length > 0 ? granted : unknown.length > 0 ? unknown : GRANT_SCOPES;
  asked.set('scope', [...scopes, OFFLINE_ACCESS].join(' '));
  // a person is always asked for consent, and signs in again where the client wants it
  const prompt = asked.get('prompt') ?? '';
  asked.delete('prompt');
  if (prompt === 'none' || prompt.split(' ').includes('login'))
    asked.set('prompt', prompt === 'none' ? 'none' : 'login');
  return asked;
}

const IGNORED_SCOPES = ['openid', 'profile', 'email', OFFLINE_ACCESS];

function errorAddress(asked: URLSearchParams, error: string, description: string): URL {
  const address = new URL(asked.get('redirect_uri') ?? '');
  address.searchParams.set('error', error);
  address.searchParams.set('error_description', description);
  const state = asked.get('state');
  if (state !== null) address.searchParams.set('state', state);
  return address;
}

async function reasonIn(response: Response): Promise<string> {
  const { error_description: description } = await fieldsIn(response);
  return sentence(description);
}

/** The fields of an answer of the library; none where it is no JSON. */
async function fieldsIn(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json().catch(() => null);
  return isObject(body) ? body : {};
}

const sentence = (text: unknown): string =>
  typeof text === 'string' && text !== ''
    ? `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
    : 'The request is not valid.';

/** The request of a client to a person; its signature was verified. */
export interface AuthorizationRequest {
  /** The request with its signature, which pages send back. */
  readonly signed: string;
  /** The address of the client's metadata document. */
  readonly clientId: string;
  /** The host of that address: who publishes the client. */
  readonly clientHost: string;
  /** The name that the client gives itself. */
  readonly clientName: string;
  /** Where the answer goes: one of the client's addresses. */
  readonly redirectUri: string;
  readonly redirectHost: string;
  readonly scopes: readonly GrantScope[];
}

function authorizationRequest(signed: string, clientName: string): AuthorizationRequest {
  const query = new URLSearchParams(signed);
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  return {
    signed,
    clientId,
    clientHost: hostOf(clientId),
    clientName: displayName(clientName) || hostOf(clientId),
    redirectUri,
    redirectHost: hostOf(redirectUri),
    scopes: grantScopes(query.get('scope')),
  };
}

/** The scopes of a list that a person can grant, in our order. */
function grantScopes(list: string | null): readonly GrantScope[] {
  const named = list?.split(' ') ?? [];
  return GRANT_SCOPES.filter((scope) => named.includes(scope));
}

export function isLoopback(address: string): boolean {
  return isLoopbackHost(parseUrl(address)?.hostname ?? '');
}
