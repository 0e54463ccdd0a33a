import type { ApiKeyDetails, Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { holds, type Grants, type Resource } from './grants';

/** Who sends a request, proven by its credential. */
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
}

export const ANONYMOUS: AnonymousCaller = { kind: 'anonymous' };

/** The part of a website that decides about access to it. */
export interface WebsiteRef {
  readonly id: string;
  readonly organizationId: string;
}

/** The website and all of its analytics; public answers of public websites need no permission and are not judged here. */
export const mayReadWebsite = (caller: Caller, website: WebsiteRef): boolean =>
  isMemberOf(caller, website.organizationId) ||
  keyHolds(caller, website.organizationId, 'read:data', `website:${website.id}`);

export const mayRegisterWebsites = (caller: Caller, organizationId: string): boolean =>
  isAdminOf(caller, organizationId) || keyHolds(caller, organizationId, 'write:data', null);

/** Links and their clicks: there is no separate scope, and a key needs its scope globally. */
export const mayReadLinks = (caller: Caller, organizationId: string): boolean =>
  isMemberOf(caller, organizationId) || keyHolds(caller, organizationId, 'read:data', null);

export const mayWriteLinks = (caller: Caller, organizationId: string): boolean =>
  isMemberOf(caller, organizationId) || keyHolds(caller, organizationId, 'write:data', null);

/** Sending server-side events; `websiteId` null = an event of the whole organization, which needs the scope globally. */
export const mayTrack = (caller: Caller, organizationId: string, websiteId: string | null): boolean =>
  keyHolds(caller, organizationId, 'track:events', websiteId === null ? null : `website:${websiteId}`);

/** Only people manage keys: a key that could make keys could outlive its own revocation. */
export const mayManageKeys = (caller: Caller, organizationId: string): boolean => isAdminOf(caller, organizationId);

export function isAdminOf(caller: Caller, organizationId: string): boolean {
  const role = roleIn(caller, organizationId);
  return role === 'owner' || role === 'admin';
}

export const isMemberOf = (caller: Caller, organizationId: string): boolean =>
  roleIn(caller, organizationId) !== undefined;

/** True for members of an organization and for its keys. */
export const belongsTo = (caller: Caller, organizationId: string): boolean =>
  isMemberOf(caller, organizationId) || (caller.kind === 'key' && caller.organizationId === organizationId);

const roleIn = (caller: Caller, organizationId: string): Role | undefined =>
  caller.kind === 'user' ? caller.roles.get(organizationId) : undefined;

const keyHolds = (caller: Caller, organizationId: string, scope: Scope, resource: Resource): boolean =>
  caller.kind === 'key' && caller.organizationId === organizationId && holds(caller, scope, resource);
