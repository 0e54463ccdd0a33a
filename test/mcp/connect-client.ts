import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Person } from '../api/people';
import type { OAuthApi } from '../oauth/oauth-api';
import { Walk } from '../oauth/walk';
import { connectAgent, type Agent } from './agent';

/** A client that a person lets act for them in an organization, on everything in it. */
export async function connectClient(
  { api, host }: Pick<OAuthApi, 'api' | 'host'>,
  { email, headers }: Pick<Person, 'email' | 'headers'>,
  organizationId: string,
  scopes: readonly Scope[],
): Promise<Agent> {
  const walk = new Walk(host, { email, headers, organizationId });
  return connectAgent(api, (await walk.tokens(walk.everything(scopes), { scope: scopes.join(' ') })).access_token);
}
