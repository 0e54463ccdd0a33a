import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, VisitorIdentified } from '@ledgerline/contracts/events/observed-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';

export const PROFILE_TYPES: readonly VisitorIdentified['type'][] = ['VisitorIdentified'];
export const PROFILE_MODELS: readonly ReadModel[] = [visitorProfiles, profileTraits];

export type Identification = VisitorIdentified & { readonly data: { readonly websiteId: string } };

export const isIdentification = (event: ObservedEvent): event is Identification =>
  event.type === 'VisitorIdentified' && event.data.websiteId !== null;

/** The rows of identifications, each with the text id of its website; no row of anything that is counted. */
export function profileRows(identifications: readonly (readonly [Identification, website: number])[]): FoldedRows[] {
  const [visitors, traits] = [new FoldedRows(visitorProfiles), new FoldedRows(profileTraits)];
  for (const [{ at, id, data }, website] of identifications) {
    const { subject, profileId: profile_id, visitorId: visitor } = data;
    const identified = `${new Date(at).toISOString()} ${decodeEventId(id).toString('hex')}`;
    if (visitor !== null) visitors.add({ website, visitor, subject, profile_id, identified });
    for (const [trait, value] of Object.entries(data.traits)) {
      traits.add({ website, subject, trait, value, identified });
    }
  }
  return [visitors, traits];
}
