import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkReturns } from '@ledgerline/contracts/read-models/links';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { eventGroup } from '../event-group';
import type { ProjectionGroup } from '../projection-group';
import { countVisitors, visitorsOf } from './link-visitors';
import { LINK_PROJECTIONS } from './link.projections';

/** What single clicks add, and the visitors of blocks of time, which depend on what these visitors did before. */
export function linksGroup(): ProjectionGroup<LoggedHit> {
  const clicks = eventGroup<LoggedHit, LinkClicked>('links', LINK_PROJECTIONS, {
    schemaVersion: [1, ...LINK_SPANS],
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

/** The group subscribes to no other type. */
const eventOf = ({ event }: LoggedHit) => event as LinkClicked;
