import type { ApiKeyDetails, Scope } from '@ledgerline/contracts/events/api-key.events';
import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import { hostOf } from '@ledgerline/contracts/parse-url';
import type { AccessRule, AnyRecordKind } from '@ledgerline/contracts/record-kind';
import { RECORD_KINDS, type RecordKindName, type RecordKinds } from '@ledgerline/contracts/record-kinds';
import type { ApiKey, Member, OAuthGrant } from '@ledgerline/contracts/records';

/** The authenticated sender of a request. */
export type Caller = AnonymousCaller | KeyCaller | GrantCaller | UserCaller;

interface AnonymousCaller {
  readonly kind: 'anonymous';
}

export interface KeyCaller extends Grants {
  readonly kind: 'key';
  /** `key_…` */
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly rateLimit: ApiKeyDetails['rateLimit'];
}

/** A client that a person lets act for them in one organization. */
export interface GrantCaller extends Grants {
  readonly kind: 'grant';
  /** `grant_…` */
  readonly id: string;
  readonly organizationId: string;
  /** See `clientLabel`. */
  readonly client: string;
  /** The person who gave the grant, with the role of this moment, which limits what the grant allows. */
  readonly person: Omit<UserCaller, 'kind' | 'roles' | 'isOperator'>;
  readonly role: Role;
}

export interface UserCaller {
  readonly kind: 'user';
  /** `usr_…` */
  readonly id: string;
  /** By organization id; absent = no member. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Runs the installation, and may see figures of all its organizations together; nothing else. */
  readonly isOperator?: boolean;
  /** As the account shows them, for the audit log. */
  readonly name?: string;
  readonly email?: string;
}

export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous' };

/** True for members of an organization, for its keys and for clients that act in it. */
export function belongsTo(caller: Caller, organizationId: string): boolean {
  if (caller.kind === 'user') return caller.roles.has(organizationId);
  return caller.kind !== 'anonymous' && caller.organizationId === organizationId;
}

/** The organizations that a caller belongs to. */
export function organizationsOf(caller: Caller): readonly string[] {
  switch (caller.kind) {
    case 'anonymous':
      return [];
    case 'key':
    case 'grant':
      return [caller.organizationId];
    case 'user':
      return [...caller.roles.keys()];
  }
}

/** Whom the history names for what a caller does: the key, or the person, also where a client acts for them. */
export function actorOf(caller: Caller): Actor {
  switch (caller.kind) {
    case 'anonymous':
      return { type: 'system', id: 'system' };
    case 'key':
      return { type: 'api_key', id: caller.id };
    case 'grant':
      return { type: 'user', ...caller.person };
    case 'user':
      return { type: 'user', id: caller.id, name: caller.name, email: caller.email };
  }
}

/** The person who asks, also where a client acts for them; undefined for a key. */
export function personOf(caller: Caller): string | undefined {
  const { type, id } = actorOf(caller);
  return type === 'user' ? id : undefined;
}

interface Actor {
  readonly type: 'system' | 'api_key' | 'user';
  readonly id: string;
  /** The name of a person. */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/** The caller of a key; undefined for a replaced secret and for a disabled, revoked or expired key. */
export function keyCaller(key: ApiKey | undefined, secretId: string, now: Date): KeyCaller | undefined {
  if (key?.secretId !== secretId || !key.enabled || key.revokedAt !== null) return undefined;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return undefined;
  const { id, organizationId, name, scopes, resources, rateLimit } = key;
  return { kind: 'key', id, organizationId, name, scopes, resources, rateLimit };
}

/** The stored part of an access token. */
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

/** The permissions of a key: `scopes` for everything, or with `resources` for these only, plus their own scopes. */
export interface Grants {
  readonly scopes: readonly Scope[];
  readonly resources: Readonly<Record<string, readonly Scope[]>> | null;
}

/** `null` = everything of the organization. */
type ResourceName = `website:${string}` | null;

/** True when the grants hold a scope on a resource; a global grant covers every resource. */
export function grantsInclude(grants: Grants, scope: Scope, resource: ResourceName): boolean {
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

const OTHER_RULES = {
  'events:track': { scope: 'track:events' },
  'audit:read': { role: 'admin', scope: 'read:audit' },
  'organization:delete': { role: 'owner' },
  'destinations:list': { role: 'member', scope: 'read:data' },
  'destinations:test': { role: 'admin', grantScope: 'write:data' },
  'members:read': { role: 'member' },
  'members:invite': { role: 'admin' },
  'members:remove': { role: 'admin' },
  'members:change-role': { role: 'owner' },
  'retention:change': { role: 'owner' },
  'people:export': { role: 'owner' },
  'erasures:request': { role: 'owner', grantScope: 'write:data' },
} as const satisfies Readonly<Record<string, AccessRule>>;

/** The kinds of records that permissions are about. */
type AccessedKind = {
  [Kind in RecordKindName]: RecordKinds[Kind] extends { readonly access: object } ? Kind : never;
}[RecordKindName];

/** Everything that needs a permission. */
export type Action = `${AccessedKind}:${'read' | 'write'}` | keyof typeof OTHER_RULES;

const RULES = {
  ...Object.fromEntries(
    Object.entries<AnyRecordKind>(RECORD_KINDS).flatMap(([kind, { access }]) =>
      access
        ? [
            [`${kind}:read`, access.read],
            [`${kind}:write`, access.write],
          ]
        : [],
    ),
  ),
  ...OTHER_RULES,
} as Readonly<Record<Action, AccessRule>>; // two for each kind

/** Returns whether an action can be allowed on a single website. */
export function isOfWebsites(action: Action): boolean {
  const [kind = ''] = action.split(':');
  return Object.hasOwn(RECORD_KINDS, kind) && isByWebsite(RECORD_KINDS[kind as RecordKindName]);
}

const isByWebsite = ({ access }: AnyRecordKind): boolean => access?.isOfWebsites === true;

/** The target of an action: a website, or else something of the organization, for which a key needs global access. */
export interface AccessTarget {
  readonly organizationId: string;
  readonly websiteId?: string | null;
}

/**
 * Returns whether a caller may do something to a resource. A client may what both its grant and the person's role
 * allow. Public answers need no permission and are not judged here.
 */
export function may(caller: Caller, action: Action, { organizationId, websiteId = null }: AccessTarget): boolean {
  if (caller.kind === 'user') return roleMay(caller.roles.get(organizationId), action);
  if (caller.kind === 'anonymous' || caller.organizationId !== organizationId) return false;
  if (caller.kind === 'grant' && !roleMay(caller.role, action)) return false;
  const scopes = scopesFor(action, caller.kind);
  const resource: ResourceName = websiteId === null ? null : `website:${websiteId}`;
  return scopes.length > 0 && scopes.every((scope) => grantsInclude(caller, scope, resource));
}

function scopesFor(action: Action, kind: Caller['kind']): readonly Scope[] {
  const { scope, alsoScope, grantScope }: AccessRule = RULES[action];
  return [scope ?? (kind === 'grant' ? grantScope : undefined), alsoScope].filter((each) => each !== undefined);
}

/** Returns what a caller needs to do something: a scope, a role, or to be a person. */
export function neededFor(action: Action, caller: Caller): Scope | Role | 'person' {
  const { role }: AccessRule = RULES[action];
  const scopes = scopesFor(action, caller.kind);
  const isKeyed = caller.kind === 'key' || caller.kind === 'grant';
  const scope = (isKeyed ? scopes.find((each) => !holdsAnywhere(caller, each)) : undefined) ?? scopes[0];
  const lacksRole = caller.kind === 'user' || (caller.kind === 'grant' && !roleMay(caller.role, action));
  return (lacksRole ? (role ?? scope) : scope) ?? 'person';
}

/** Returns whether a person with this role may do something; undefined = no member. */
export function roleMay(held: Role | undefined, action: Action): boolean {
  const { role }: AccessRule = RULES[action];
  return held !== undefined && role !== undefined && includesRole(held, role);
}

/** Returns whether a role is the other one or above it: a member cannot give or take away a role above their own. */
export const includesRole = (held: Role, role: Role): boolean => ROLES.indexOf(held) >= ROLES.indexOf(role);
