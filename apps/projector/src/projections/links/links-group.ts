import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
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

/** Everything that is known about short links. */
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

export const linksGroup = (): ProjectionGroup<LoggedHit> =>
  eventGroup('links', LINK_PROJECTIONS, {
    meaning: [1],
    eventOf: ({ event }) => event as LinkClicked, // the group reads nothing else
    cursorOf: ({ offset }) => String(offset),
    loggedAt: ({ event }) => event.receivedAt,
  });
