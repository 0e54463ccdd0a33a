import fc from 'fast-check';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { eventId, hex, moment, origin, referrer, surroundings, timeOf, utm } from './random-traffic';

interface Clicks {
  /** A zone whose clocks may change among them. */
  readonly zone: string;
  /** First day of the clicks, `YYYY-MM-DD`. */
  readonly start: string;
  /** Returns events of a link; those with the same people have the same visitors; others those of the link alone. */
  events(link: { linkId: string; organizationId: string; people?: string }): LinkClicked[];
}

const click = fc.record({ moment, visitor: fc.constantFrom(0, 1, 2), surroundings, utm, referrer });

type RandomClick = typeof click extends fc.Arbitrary<infer Value> ? Value : never;

const eventsOf =
  (list: readonly RandomClick[], start: string): Clicks['events'] =>
  ({ linkId, organizationId, people = linkId }) =>
    list.map((random, place) => ({
      type: 'LinkClicked' as const,
      id: eventId(linkId, place),
      at: timeOf(random.moment, start),
      receivedAt: timeOf(random.moment, start) + 5,
      data: {
        ...random.surroundings,
        organizationId,
        linkId,
        visitorId: hex('clicker', people, random.visitor),
        referrer: random.referrer && { ...random.referrer, own: false },
        utm: random.utm,
      },
    }));

export const clicks: fc.Arbitrary<Clicks> = fc
  .record({ origin, list: fc.array(click, { maxLength: 40 }) })
  .map(({ origin: [zone, start], list }) => ({ zone, start, events: eventsOf(list, start) }));

/** Clicks on several links in the same days. */
export const clicksOnLinks = fc
  .record({ origin, lists: fc.array(fc.array(click, { maxLength: 20 }), { maxLength: 4 }) })
  .map(({ origin: [zone, start], lists }) => ({ zone, start, links: lists.map((list) => eventsOf(list, start)) }));
