import type { AlertAuthor, AlertDetails } from '@ledgerline/contracts/events/alert.events';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { ApiKey, Member } from '@ledgerline/contracts/records';
import { grantsInclude, includesRole } from '../access/caller';
import type { Registry } from '../registry/registry';

/** The subject of an alert: the things that a destination has to be about. */
export type AlertSubject = Pick<AlertDetails, 'organizationId' | 'websiteId' | 'linkId' | 'goalId'>;

/** How far the one who made an alert may send: to every destination of the organization, to those opened to members, or nowhere. */
export type AlertReach = 'all' | 'opened' | 'none';

/** What a registry knows of authors. */
export interface AuthorRecords {
  readonly member: (organizationId: string, userId: string) => Pick<Member, 'role'> | undefined;
  readonly key: (id: string) => ApiKey | undefined;
}

/** The authors that a registry knows. */
export const authorsIn = (registry: Pick<Registry, 'member' | 'find'>): AuthorRecords => ({
  member: (organizationId, userId) => registry.member(organizationId, userId),
  key: (id) => registry.find('apiKeys', id),
});

/** How far the author of an alert may send at a moment. */
export function reachOf(
  author: AlertAuthor,
  subject: Pick<AlertSubject, 'organizationId' | 'websiteId'>,
  records: AuthorRecords,
  now: Date,
): AlertReach {
  if (author.type === 'api_key') return keyMayRead(records.key(author.id), subject, now) ? 'opened' : 'none';
  const role = records.member(subject.organizationId, author.id)?.role;
  if (role === undefined) return 'none';
  return includesRole(role, 'admin') ? 'all' : 'opened';
}

const NEEDED = ['read:data', 'write:data'] as const;

function keyMayRead(
  key: ApiKey | undefined,
  { organizationId, websiteId }: Pick<AlertSubject, 'organizationId' | 'websiteId'>,
  now: Date,
): boolean {
  if (key?.organizationId !== organizationId || !key.enabled || key.revokedAt !== null) return false;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return false;
  return NEEDED.every((scope) => grantsInclude(key, scope, websiteId === null ? null : `website:${websiteId}`));
}

/** Why an alert may not be sent to a destination; undefined if it may. */
export function whyNotSent(
  destination: DestinationDetails | undefined,
  subject: AlertSubject,
  reach: AlertReach,
): 'unknown' | 'audit' | 'closed' | 'about' | undefined {
  if (destination?.organizationId !== subject.organizationId) return 'unknown';
  if (destination.kind === 'audit') return 'audit';
  if (reach === 'none' || (reach === 'opened' && !destination.openToMembers)) return 'closed';
  const { websiteIds, linkIds, goalIds } = destination;
  const isAbout = (ids: readonly string[] | null, id: string | null) => id === null || ids === null || ids.includes(id);
  const { websiteId, linkId, goalId } = subject;
  return isAbout(websiteIds, websiteId) && isAbout(linkIds, linkId) && isAbout(goalIds, goalId) ? undefined : 'about';
}
