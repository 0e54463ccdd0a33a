import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { Grants } from './grants';

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

interface Actor {
  readonly type: 'system' | 'api_key' | 'user';
  readonly id: string;
  /** Of a person. */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}
