import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { linkClicks, linkReturns } from '@ledgerline/contracts/read-models/links';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { describeHit } from '../event-description';
import type { ProjectionGroup } from '../projection-group';
import { upsertInto } from '../written-tables';
import { countVisitors, visitorsOf } from './link-visitors';
import { LINK_PROJECTIONS } from './link.projections';
import { newClicks } from './new-clicks';

/** What single clicks add, and the visitors of blocks of time, which depend on what these visitors did before. */
export const linksGroup = (projections = LINK_PROJECTIONS): ProjectionGroup<LoggedHit> => ({
  name: 'links',
  builds: [...projections.map(({ builds }) => builds), linkReturns],
  state: [linkClicks],
  types: ['LinkClicked'],
  cursorOf: ({ offset }) => String(offset),
  loggedAt: ({ event }) => event.receivedAt,
  describe: ({ event }) => {
    const { linkId, visitorId } = (event as LinkClicked).data; // the only type of `types`
    return describeHit(event, linkId, visitorId ?? event.id);
  },
  prepare: (logged) => {
    const clicks = logged.map(({ event }) => event as LinkClicked); // the only type of `types`
    return Promise.resolve(async (on, tables, unwritten) => {
      const added = await newClicks(on, tables.state, clicks, unwritten?.clicks);
      const counted = await countVisitors(on, tables, visitorsOf(added.values()), unwritten?.clicked);
      const upserts = projections.flatMap(({ builds, rowsOf }) => {
        const rows = new FoldedRows(builds);
        for (const click of added.values()) for (const row of rowsOf(click)) rows.add(row);
        return upsertInto(tables, builds, rows.values());
      });
      return { ...counted, clicks: added, statements: [...upserts, ...counted.statements] };
    });
  },
  invalidateCaches: () => undefined,
});
