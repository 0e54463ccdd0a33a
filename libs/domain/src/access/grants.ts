import type { Scope } from '@ledgerline/contracts/events/api-key.events';

/** The permissions of a key: `scopes` for everything, or with `resources` for these only, plus their own scopes. */
export interface Grants {
  readonly scopes: readonly Scope[];
  readonly resources: Readonly<Record<string, readonly Scope[]>> | null;
}

/** `null` = everything of the organization. */
type ResourceName = `website:${string}` | null;

/** True when the grants hold a scope on a resource; a global grant covers every resource. */
export function holds(grants: Grants, scope: Scope, resource: ResourceName): boolean {
  return holdsListed(grants, scope, 'global') || (resource !== null && holdsListed(grants, scope, resource));
}

function holdsListed({ scopes, resources }: Grants, scope: Scope, name: string): boolean {
  if (resources === null) return name === 'global' && scopes.includes(scope);
  if (!Object.hasOwn(resources, name)) return false;
  return scopes.includes(scope) || (resources[name]?.includes(scope) ?? false);
}

/** True when the grants hold a scope on anything at all. */
export function holdsAnywhere(grants: Grants, scope: Scope): boolean {
  if (grants.resources === null) return grants.scopes.includes(scope);
  return Object.keys(grants.resources).some((name) => holdsListed(grants, scope, name));
}
