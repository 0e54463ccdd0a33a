import { hostOf } from '@ledgerline/contracts/parse-url';
import type { Member, OAuthGrant } from '@ledgerline/contracts/records';
import type { GrantCaller } from './caller';

/** What is stored of an access token. */
export interface AccessToken {
  readonly grantId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  readonly person: GrantCaller['person'];
}

/**
 * The caller of an access token; undefined once the token has expired, the grant is revoked, or the membership in which
 * it was given has ended, even if the person has come back since.
 */
export function grantCaller(
  token: AccessToken,
  grant: OAuthGrant | undefined,
  member: Member | undefined,
  now: Date,
): GrantCaller | undefined {
  const role = grantor(grant, member)?.role;
  if (!grant || !role || token.expiresAt <= now) return undefined;
  const { id, organizationId, websiteIds } = grant;
  return {
    kind: 'grant',
    id,
    organizationId,
    client: clientLabel(grant),
    scopes: grant.scopes.filter((scope) => token.scopes.includes(scope)),
    resources: websiteIds && Object.fromEntries(websiteIds.map((websiteId) => [`website:${websiteId}`, []])),
    person: token.person,
    role,
  };
}

/** The person who gave a grant, as long as it is not revoked and they have been a member ever since. */
export const grantor = (grant: OAuthGrant | undefined, member: Member | undefined): Member | undefined =>
  grant && member && member.joinedAt <= grant.createdAt ? member : undefined;

/** A client as histories name it: what it calls itself, and the host that publishes it, which it cannot choose. */
export function clientLabel({ clientId, clientName }: Pick<OAuthGrant, 'clientId' | 'clientName'>): string {
  const host = hostOf(clientId);
  return host === '' || host === clientName ? clientName : `${clientName} (${host})`;
}
