import { hostOf, parseUrl } from '@ledgerline/contracts/parse-url';
import { displayName } from '../http/display-name';
import { isLoopbackHost } from '@ledgerline/platform/http/address';
import { GRANT_SCOPES, type GrantScope } from '@ledgerline/contracts/events/oauth-grant.events';

/** What a client asks a person for; its signature was verified. */
export interface AuthorizationRequest {
  /** The request with its signature, which pages send back. */
  readonly signed: string;
  /** The address of the client's metadata document. */
  readonly clientId: string;
  /** Of that address: who publishes the client. */
  readonly clientHost: string;
  /** What the client calls itself. */
  readonly clientName: string;
  /** Where the answer goes: one of the client's addresses. */
  readonly redirectUri: string;
  readonly redirectHost: string;
  readonly scopes: readonly GrantScope[];
}

export function authorizationRequest(signed: string, clientName: string): AuthorizationRequest {
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
export function grantScopes(list: string | null): readonly GrantScope[] {
  const named = list?.split(' ') ?? [];
  return GRANT_SCOPES.filter((scope) => named.includes(scope));
}

export function isLoopback(address: string): boolean {
  return isLoopbackHost(parseUrl(address)?.hostname ?? '');
}
