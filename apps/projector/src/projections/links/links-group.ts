import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkReturns } from '@ledgerline/contracts/read-models/links';
import { REFERRER_RULES_VERSION } from '@ledgerline/domain/referrers/known-sources';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { describeHit } from '../event-description';
import type { ProjectionGroup } from '../projection-group';
import { countVisitors, visitorsOf } from './link-visitors';
import { LINK_PROJECTIONS } from './link.projections';

/** What single clicks add, and the visitors of blocks of time, which depend on what these visitors did before. */
export const linksGroup = (): ProjectionGroup<LoggedHit> => ({
  name: 'links',
  builds: [...LINK_PROJECTIONS.map(({ builds }) => builds), linkReturns],
  schemaVersion: [1, REFERRER_RULES_VERSION, ...LINK_SPANS],
  types: ['LinkClicked'],
  cursorOf: ({ offset }) => String(offset),
  loggedAt: ({ event }) => event.receivedAt,
  describe: ({ event }) => {
    const { linkId, visitorId } = (event as LinkClicked).data; // the only type of `types`
    return describeHit(event, linkId, visitorId ?? event.id);
  },
  prepare: (logged) => {
    const clicks = logged.map(({ event }) => event as LinkClicked); // the only type of `types`
    const added = LINK_PROJECTIONS.map((projection) => {
      const rows = new FoldedRows(projection.builds);
      for (const click of clicks) for (const row of projection.rowsOf(click)) rows.add(row);
      return rows;
    });
    const visitors = visitorsOf(clicks);
    return Promise.resolve(async (on, schema, unwritten) => {
      const counted = await countVisitors(on, schema, visitors, unwritten?.clicked);
      const upserts = added.filter(({ size }) => size > 0).map((rows) => upsert(schema, rows.model, rows.values()));
      return { ...counted, statements: [...upserts, ...counted.statements] };
    });
  },
  invalidateCaches: () => undefined,
});
