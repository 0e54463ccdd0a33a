import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { QUARTER_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkReturns } from '@ledgerline/contracts/read-models/links';
import { eventGroup } from '../event-group';
import type { EventProjection } from '../event-projection';
import type { ProjectionGroup } from '../projection-group';
import { linkBrowsersProjection } from './link-browsers.projection';
import { linkCitiesProjection } from './link-cities.projection';
import { linkClicksProjection } from './link-clicks.projection';
import { linkClicksQuarterlyProjection } from './link-clicks-quarterly.projection';
import { linkCountriesProjection } from './link-countries.projection';
import { linkDevicesProjection } from './link-devices.projection';
import { linkReferrersProjection } from './link-referrers.projection';
import { linkRegionsProjection } from './link-regions.projection';
import { countVisitors, visitorsOf } from './link-visitors';

/** What follows from single clicks. */
export const LINK_PROJECTIONS: readonly EventProjection<LinkClicked>[] = [
  linkClicksQuarterlyProjection,
  linkReferrersProjection,
  linkCountriesProjection,
  linkRegionsProjection,
  linkCitiesProjection,
  linkDevicesProjection,
  linkBrowsersProjection,
  linkClicksProjection,
];

/** What single clicks add, and the visitors of blocks of time, which depend on what these visitors did before. */
export function linksGroup(): ProjectionGroup<LoggedHit> {
  const clicks = eventGroup<LoggedHit, LinkClicked>('links', LINK_PROJECTIONS, {
    meaning: [1, ...QUARTER_SPANS],
    eventOf,
    cursorOf: ({ offset }) => String(offset),
    loggedAt: ({ event }) => event.receivedAt,
  });
  return {
    ...clicks,
    builds: [...clicks.builds, linkReturns],
    prepare: async (logged) => {
      const compute = await clicks.prepare(logged);
      const visitors = visitorsOf(logged.map(eventOf));
      return async (on, schema, unwritten) => {
        const added = await compute(on, schema);
        const counted = await countVisitors(on, schema, visitors, unwritten?.clicked);
        return { ...counted, statements: [...added.statements, ...counted.statements] };
      };
    },
  };
}

/** The group reads nothing else. */
const eventOf = ({ event }: LoggedHit) => event as LinkClicked;
