import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { Grants } from './grants';

/** The authenticated sender of a request. */
export type Caller = AnonymousCaller | KeyCaller | UserCaller;

export interface AnonymousCaller {
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

export interface UserCaller {
  readonly kind: 'user';
  /** `usr_…` */
  readonly id: string;
  /** By organization id; absent = no member. */
  readonly roles: ReadonlyMap<string, Role>;
  /** As the account shows them, for the audit log. */
  readonly name?: string;
  readonly email?: string;
}

export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous' };

/** True for members of an organization and for its keys. */
export function belongsTo(caller: Caller, organizationId: string): boolean {
  if (caller.kind === 'user') return caller.roles.has(organizationId);
  return caller.kind === 'key' && caller.organizationId === organizationId;
}

/** The organizations that a caller belongs to. */
export function organizationsOf(caller: Caller): readonly string[] {
  switch (caller.kind) {
    case 'anonymous':
      return [];
    case 'key':
      return [caller.organizationId];
    case 'user':
      return [...caller.roles.keys()];
  }
}
