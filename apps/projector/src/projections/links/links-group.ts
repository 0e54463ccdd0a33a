import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { linkClicks, linkReturns } from '@ledgerline/contracts/read-models/links';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { describeHit, upsertInto, type ProjectionGroup } from '../projection-group';
import { countVisitors, visitorsOf } from './link-visitors';
import { LINK_PROJECTIONS, keyOfClick } from './link.projections';

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

type Clicks = ReadonlyMap<string, LinkClicked>;

/**
 * Those of these clicks that are neither stored nor in the batch before, each once, by their keys. The intake log stores
 * a click again that is sent again after days.
 */
async function newClicks(
  on: Queryable,
  schema: string,
  clicks: readonly LinkClicked[],
  unwritten: Clicks = new Map(),
): Promise<Clicks> {
  const found = new Map<string, LinkClicked>();
  for (const click of clicks) {
    const key = Object.values(keyOfClick(click)).join(' ');
    if (!unwritten.has(key) && !found.has(key)) found.set(key, click);
  }
  for (const key of await storedAmong(on, schema, found)) found.delete(key);
  return found;
}

async function storedAmong(on: Queryable, schema: string, clicks: Clicks): Promise<readonly string[]> {
  if (clicks.size === 0) return [];
  const [names, keys] = [[...clicks.keys()], [...clicks.values()].map(keyOfClick)];
  const text = `select place::integer from unnest($1::text[], $2::uuid[], $3::uuid[])
      with ordinality as wanted (link_id, actor, id, place)
    join ${identifier(schema, linkClicks.name).text} using (link_id, actor, id)`;
  const values = [
    binaryArray(
      'text',
      keys.map(({ link_id }) => link_id),
    ),
    binaryArray(
      'uuid',
      keys.map(({ actor }) => actor),
    ),
    binaryArray(
      'uuid',
      keys.map(({ id }) => id),
    ),
  ];
  const rows = await run<{ place: number }>(on, { name: `stored clicks ${schema}`, text, values });
  return rows.flatMap(({ place }) => names[place - 1] ?? []);
}
