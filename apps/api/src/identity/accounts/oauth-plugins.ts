import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { GRANT_SCOPES } from '@ledgerline/contracts/events/api-key.events';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type GuardOptions, guardedAgent } from '@ledgerline/platform/outbound/guarded-fetch';
import { ACCESS_TOKEN_PREFIX, hashToken, REFRESH_TOKEN_PREFIX } from './token-hash';

/** With this scope the library issues refresh tokens; every client gets it that can use them. */
export const OFFLINE_ACCESS = 'offline_access';

export const SIGN_IN_PAGE = '/v1/auth/oauth2/sign-in';
export const CONSENT_PAGE = '/v1/auth/oauth2/consent';

/** The one resource that access tokens are for (RFC 8707). */
export const mcpResource = ({ publicApiUrl }: Pick<Settings, 'publicApiUrl'>): string => `${publicApiUrl}/v1/mcp`;

const ACCESS_TOKEN_SECONDS = 900;

const consent = new AsyncLocalStorage<string>();

/** While the library handles a consent, the grant that its code and tokens belong to. */
export const consentTo = <T>(grantId: string, handle: () => Promise<T>): Promise<T> => consent.run(grantId, handle);

/** An authorization server without accounts of its own; imported with the library, as that is slow. */
export async function oauthPlugins(settings: Settings, documents: ClientDocuments) {
  const [{ oauthProvider }, { cimd }] = await Promise.all([
    import('@better-auth/oauth-provider'),
    import('@better-auth/cimd'),
  ]);
  const provider = oauthProvider({
    loginPage: SIGN_IN_PAGE,
    consentPage: CONSENT_PAGE,
    scopes: [...GRANT_SCOPES, OFFLINE_ACCESS],
    grantTypes: ['authorization_code', 'refresh_token'],
    resources: [mcpResource(settings)],
    enforcePerClientResources: false,
    disableJwtPlugin: true,
    storeTokens: { hash: (token, type) => Promise.resolve(hashToken(token, type, settings.keyPepper)) },
    prefix: { opaqueAccessToken: ACCESS_TOKEN_PREFIX, refreshToken: REFRESH_TOKEN_PREFIX },
    accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
    allowPublicClientPrelogin: true,
    // no earlier consent has this reference, so that a person is always asked
    postLogin: {
      page: SIGN_IN_PAGE,
      shouldRedirect: () => false,
      consentReferenceId: () => consent.getStore() ?? 'none',
    },
  });
  const clients = cimd({
    metadataProfile: 'mcp-2026-07-28',
    fetchClientMetadataResource: (address, init = {}) => documents.fetch(String(address), init),
    // pages show the host of the client's id alone; a `client_uri` may be elsewhere, as that of VS Code is
    originBoundFields: ['post_logout_redirect_uris'],
    // one sign-in reads the document several times, if the client forbids to keep it
    metadataFetchPolicy: {
      minimumFetchInterval: 0,
      maximumFetchesPerMinute: 600,
      maximumFetchesPerOriginPerMinute: 300,
    },
  });
  return [provider, clients];
}

/** More than the library takes of a document. */
const MAX_BYTES = 16 * 1024;

/** The metadata documents that clients publish of themselves on the web. */
@Injectable()
export class ClientDocuments {
  /** Specs let it reach servers of their own. */
  guard: GuardOptions = {};

  /** Reads a document whole, from public addresses only and until the signal ends it. Redirects are not followed. */
  async fetch(address: string, { headers, signal }: Pick<RequestInit, 'headers' | 'signal'>): Promise<Response> {
    if (!signal) throw new TypeError('A request for a document needs a signal.');
    const { origin, pathname, search } = new URL(address);
    const agent = await guardedAgent(this.guard, { maxResponseSize: MAX_BYTES, signal });
    const path = pathname + search;
    const request = { origin, path, method: 'GET', headers: Object.fromEntries(new Headers(headers)) } as const;
    try {
      const { statusCode, headers: sent, body } = await agent.request(request);
      const bytes = await body.arrayBuffer();
      // with some statuses, as 304, there must be no body at all
      return new Response(bytes.byteLength === 0 ? null : bytes, { status: statusCode, headers: pairsOf(sent) });
    } finally {
      await agent.destroy();
    }
  }
}

const pairsOf = (headers: Readonly<Record<string, string | string[] | undefined>>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value = []]) => [value].flat().map((each): [string, string] => [name, each]));
