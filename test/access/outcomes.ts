import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { Rule } from './rules';

/** The standing of a caller, as far as the rules look at it. */
export type Standing =
  | { readonly as: 'nobody' }
  | { readonly as: 'wrong credential' }
  | { readonly as: 'key'; readonly ours: boolean; readonly scopes: readonly Scope[]; readonly on: KeyReach }
  | { readonly as: 'person'; readonly role: Role | 'invited' | 'operator' | undefined };

/** Everything of its organization, the website in question only, or another website only. */
export type KeyReach = 'everything' | 'the website' | 'another website';

export type Outcome = 'success' | 'unauthenticated' | 'forbidden' | 'outside';

/**
 * Returns what the rules demand for a caller, and for a thing that exists in the organization in question or nowhere.
 */
export function outcomeOf(rule: Rule, caller: Standing, exists: boolean): Outcome {
  if (rule.people === 'anybody') return 'success';
  if (caller.as === 'wrong credential') return 'unauthenticated';
  if (rule.people === 'public') return 'success';
  if (caller.as === 'nobody') return 'unauthenticated';
  return caller.as === 'key' ? outcomeOfKey(rule, caller, exists) : outcomeOfPerson(rule, caller, exists);
}

function outcomeOfKey({ keys, people }: Rule, key: Standing & { as: 'key' }, exists: boolean): Outcome {
  if (keys === 'all') return 'success';
  const lacks = (scope: Scope) => !key.scopes.includes(scope);
  if (keys === undefined || keys.scopes.slice(-1).some(lacks)) return 'forbidden';
  if (people === 'person') return 'success';
  if (!key.ours || !exists) return 'outside';
  if (keys.scopes.some(lacks)) return 'forbidden';
  const reaches = key.on === 'everything' || keys.on === 'on any' || (keys.on === 'on it' && key.on === 'the website');
  return reaches ? 'success' : 'forbidden';
}

function outcomeOfPerson({ people }: Rule, { role }: Standing & { as: 'person' }, exists: boolean): Outcome {
  if (people === '-') return 'forbidden';
  if (people === 'person') return 'success';
  if (people === 'operator') return role === 'operator' ? 'success' : 'forbidden';
  if (people === 'invited') return role === 'invited' && exists ? 'success' : 'outside';
  if (role === undefined || role === 'invited' || role === 'operator' || !exists) return 'outside';
  if (people === 'giver') return role === 'owner' ? 'success' : 'outside';
  const ranks = ['member', 'admin', 'owner'];
  return ranks.indexOf(role) >= ranks.indexOf(people) ? 'success' : 'forbidden';
}
