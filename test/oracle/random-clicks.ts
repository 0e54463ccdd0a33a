import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import fc from 'fast-check';
import { eventId, hex, moment, origin, referrer, surroundings, timeOf, utm } from './random-traffic';

export interface Clicks {
  /** A zone whose clocks may change among them. */
  readonly zone: string;
  /** First day of the clicks, `YYYY-MM-DD`. */
  readonly start: string;
  events(link: { linkId: string; organizationId: string }): LinkClicked[];
}

const click = fc.record({ moment, visitor: fc.constantFrom(0, 1, 2), surroundings, utm, referrer });

export const clicks: fc.Arbitrary<Clicks> = fc
  .record({ origin, list: fc.array(click, { maxLength: 40 }) })
  .map(({ origin: [zone, start], list }) => ({
    zone,
    start,
    events: ({ linkId, organizationId }) =>
      list.map((random, place) => ({
        type: 'LinkClicked' as const,
        id: eventId(linkId, place),
        at: timeOf(random.moment, start),
        receivedAt: timeOf(random.moment, start) + 5,
        data: {
          ...random.surroundings,
          organizationId,
          linkId,
          visitorId: hex('clicker', linkId, random.visitor),
          referrer: random.referrer && { ...random.referrer, own: false },
          utm: random.utm,
        },
      })),
  }));
