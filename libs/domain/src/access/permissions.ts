import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { type Caller, holds } from './caller';

/** Who may: people from this role up, and keys and clients with this scope. Without a role no person may, without a scope no key. */
interface Rule {
  readonly role?: Role;
  readonly scope?: Scope;
}

const RULES = {
  'websites:read': { role: 'member', scope: 'read:data' },
  'websites:write': { role: 'admin', scope: 'write:data' },
  'links:read': { role: 'member', scope: 'read:data' },
  'links:write': { role: 'member', scope: 'write:data' },
  'events:track': { scope: 'track:events' },
  'flags:read': { role: 'member', scope: 'manage:flags' },
  'flags:write': { role: 'admin', scope: 'manage:flags' },
  // of funnels and segments, too
  'goals:read': { role: 'member', scope: 'read:data' },
  'goals:write': { role: 'member', scope: 'write:data' },
  'annotations:read': { role: 'member', scope: 'read:data' },
  'annotations:write': { role: 'member', scope: 'write:data' },
  'monitors:read': { role: 'member', scope: 'read:data' },
  'monitors:write': { role: 'admin', scope: 'write:data' },
  'status-pages:read': { role: 'member', scope: 'read:data' },
  'status-pages:write': { role: 'admin', scope: 'write:data' },
  'audit:read': { role: 'admin', scope: 'read:audit' },
  // a key that could make keys could outlive its own revocation
  'api-keys:manage': { role: 'admin' },
  'organization:read': { role: 'member' },
  'organization:update': { role: 'admin' },
  'organization:delete': { role: 'owner' },
  'members:read': { role: 'member' },
  'members:invite': { role: 'admin' },
  'members:remove': { role: 'admin' },
  'members:change-role': { role: 'owner' },
  'retention:change': { role: 'owner' },
  'erasures:request': { role: 'owner' },
} as const satisfies Readonly<Record<string, Rule>>;

/** Everything that needs a permission. */
export type Action = keyof typeof RULES;

/** What an action is done to: a website, or else something of the organization, for which a key needs global access. */
export interface Resource {
  readonly organizationId: string;
  readonly websiteId?: string | null;
}

/** Whether a caller may do something to a resource. A client may what both its grant and the person's role allow. Public answers need no permission and are not judged here. */
export function may(caller: Caller, action: Action, { organizationId, websiteId = null }: Resource): boolean {
  if (caller.kind === 'user') return roleMay(caller.roles.get(organizationId), action);
  if (caller.kind === 'anonymous' || caller.organizationId !== organizationId) return false;
  if (caller.kind === 'grant' && !roleMay(caller.role, action)) return false;
  const { scope }: Rule = RULES[action];
  return scope !== undefined && holds(caller, scope, websiteId === null ? null : `website:${websiteId}`);
}

/** What a caller needs to do something: a scope, a role, or to be a person. */
export function neededFor(action: Action, caller: Caller): Scope | Role | 'person' {
  const { role, scope }: Rule = RULES[action];
  const lacksRole = caller.kind === 'user' || (caller.kind === 'grant' && !roleMay(caller.role, action));
  return (lacksRole ? (role ?? scope) : scope) ?? 'person';
}

/** The same for a person of whom only the role is given; undefined = no member. */
export function roleMay(held: Role | undefined, action: Action): boolean {
  const { role }: Rule = RULES[action];
  return held !== undefined && role !== undefined && includesRole(held, role);
}

/** Whether a role is the other one or above it: a member cannot give or take away a role above their own. */
export const includesRole = (held: Role, role: Role): boolean => ROLES.indexOf(held) >= ROLES.indexOf(role);
