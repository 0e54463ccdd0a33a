import fc from 'fast-check';
import type { VisitorIdentified } from '@ledgerline/contracts/events/observed-events';
import { eventId, hex, moment, stampOf, timeOf, type Site } from './random-traffic';

/** Identifications of who visitors said to be, as if sealed: every value is a text that nobody can read. */
export const identifications = fc
  .array(
    fc.record({
      moment,
      visitor: fc.constantFrom(0, 1, 2, null),
      profile: fc.constantFrom('ann', 'bob'),
      traits: fc.dictionary(fc.constantFrom('name', 'plan'), fc.constantFrom(null, 'sealed 1', 'sealed 2')),
    }),
    { maxLength: 12 },
  )
  .map((list) => ({
    events: (site: Site, start: string): VisitorIdentified[] =>
      list.map(({ moment: at, visitor, profile, traits }, place) => ({
        type: 'VisitorIdentified',
        id: eventId('identified', site.websiteId, place),
        at: timeOf(at, start),
        receivedAt: timeOf(at, start) + 1000,
        data: {
          ...stampOf(site, visitor, null),
          subject: hex('profile', site.websiteId, profile),
          profileId: `sealed ${profile}`,
          traits,
        },
      })),
  }));
