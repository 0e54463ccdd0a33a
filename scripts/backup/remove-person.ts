import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import { decide } from '@ledgerline/domain/decider';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { decidedIn, streamOrganization } from '@ledgerline/platform/event-store/event-store';
import { systemEvent } from '../audit/record-by-system';
import type { RestoredEvents } from './restored-history';

/**
 * Ends the membership of an erased person, and deletes the account and its invitations, unless the person is in another
 * organization. False, and nothing is deleted, for the last owner of this one.
 */
export async function removePerson(history: RestoredEvents, organizationId: string, userId: string): Promise<boolean> {
  const email = sql`(select lower(email) from auth."user" where id = ${userId})`;
  const invitations = sql`delete from invitation_addresses where lower(email) = ${email}`;
  let isElsewhere = false;
  for (const { stream, isMember, leaves } of await membershipsOf(history, userId)) {
    const isOwn = streamOrganization(stream) === organizationId;
    isElsewhere ||= isMember && !isOwn;
    if (isOwn && isMember && leaves.length === 0) return false;
    if (isOwn)
      await history.append(leaves.map((event) => ({ stream, ...systemEvent('RemoveMember', organizationId, event) })));
  }
  await run(history.client, isElsewhere ? sql`${invitations} and organization_id = ${organizationId}` : invitations);
  if (!isElsewhere) await run(history.client, sql`delete from auth."user" where id = ${userId}`);
  return true;
}

/**
 * The memberships of the organizations that the person ever was in; `leaves`: what is recorded when they leave, none of
 * the last owner.
 */
async function membershipsOf(history: RestoredEvents, userId: string) {
  const joined = decidedIn(await history.read(sql`type in ('OrganizationCreated', 'MemberAdded')`));
  const isOf = ({ type, data }: (typeof joined)[number]) =>
    (type === 'MemberAdded' && data.userId === userId) || (type === 'OrganizationCreated' && data.ownerId === userId);
  const streams = [...new Set(joined.filter(isOf).map(({ stream }) => stream))];
  return Promise.all(
    streams.map(async (stream) => {
      const events = decidedIn(await history.read(sql`stream = ${stream}`)) as readonly OrganizationEvent[];
      return { stream, ...leaving(events, userId) };
    }),
  );
}

function leaving(events: readonly OrganizationEvent[], userId: string) {
  try {
    const leaves = decide(organization, events, { type: 'RemoveMember', data: { userId, by: userId } });
    return { isMember: true, leaves };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { isMember: error.fact === 'LAST_OWNER', leaves: [] };
  }
}
