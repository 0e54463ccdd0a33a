import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { fromKeys, keysOf } from '@ledgerline/contracts/json';
import * as models from '@ledgerline/contracts/read-models/links';
import { type LinkDimension, linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/time-blocks';
import { placeText } from '@ledgerline/contracts/sessions/session';
import { visitsOf } from '@ledgerline/domain/links/visits';
import { sourceOfVisit } from '@ledgerline/domain/referrers/source-of';
import { FIFTEEN_MINUTES_MS, blockStart } from '@ledgerline/domain/time/fifteen-minutes';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { FoldedRows, type ReadModelRow, differenceRows } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql, withoutNul } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import {
  type TableChanges,
  type ProjectionGroup,
  type WrittenTables,
  describeHit,
  upsertInto,
  writeTo,
} from '../projection-group';

/** A visitor who clicked a link in a batch, and the 15-minute intervals in which they did. */
interface LinkVisitor {
  readonly link: string;
  readonly id: string;
  readonly intervals: Set<number>;
}

type Clicked = NonNullable<TableChanges['clicked']>;

function visitorsOf(clicks: Iterable<LinkClicked>): ReadonlyMap<string, LinkVisitor> {
  const visitors = new Map<string, LinkVisitor>();
  for (const { at, data } of clicks) {
    if (data.visitorId === null) continue;
    const key = keyOf(data.linkId, data.visitorId);
    const visitor = visitors.get(key) ?? { link: data.linkId, id: data.visitorId, intervals: new Set() };
    visitors.set(key, visitor);
    visitor.intervals.add(blockStart(at));
  }
  return visitors;
}

/** Returns what the clicks of these visitors change in the counts of visitors by block of time. */
async function countVisitors(
  on: Queryable,
  tables: WrittenTables,
  visitors: ReadonlyMap<string, LinkVisitor>,
  unwritten: Clicked = new Map(),
): Promise<TableChanges> {
  const wanted = [...visitors].filter(([key]) => !unwritten.has(key)).map(([, visitor]) => visitor);
  const stored = await clickedBefore(on, tables.state, wanted);
  const old = new VisitorCounts();
  const now = new VisitorCounts();
  const clicked = new Map<string, readonly number[]>();
  for (const [key, { link, intervals }] of visitors) {
    const before = unwritten.get(key) ?? stored.get(key) ?? [];
    const after = [...new Set([...before, ...intervals])].sort((a, b) => a - b);
    clicked.set(key, after);
    if (after.length === before.length) continue;
    old.add(link, before);
    now.add(link, after);
  }
  const counts = differenceRows(old.counts, now.counts);
  const returns = differenceRows(old.returns, now.returns);
  const statements = [
    ...(counts.length > 0 ? upsertInto(tables, linkClicks15min, counts) : []),
    ...(returns.length > 0 ? upsertInto(tables, linkReturns, returns) : []),
    ...writeTo(tables, linkReturns, (schema, model) => deleteEmptied(schema, model, returns)),
  ];
  return { statements, clicked };
}

/** Visitors of blocks, as rows. */
class VisitorCounts {
  readonly counts = new FoldedRows(linkClicks15min);
  readonly returns = new FoldedRows(linkReturns);

  add(link: string, intervals: readonly number[]): void {
    for (const { span, start, previous } of visitsOf(intervals, LINK_SPANS)) {
      const block = { link_id: link, span, start_15min: start };
      this.counts.add({ ...block, clicks: 0, visitors: 1 });
      if (previous !== undefined) this.returns.add({ ...block, previous_15min: previous, visitors: 1 });
    }
  }
}

/** The 15-minute intervals in which these visitors have clicked, in order; without visitors who have not. */
async function clickedBefore(on: Queryable, schema: string, visitors: readonly LinkVisitor[]): Promise<Clicked> {
  if (visitors.length === 0) return new Map();
  const links = visitors.map(({ link }) => link);
  const ids = visitors.map(({ id }) => id);
  const rows = await run<{ link: string; actor: string; intervals: number[] }>(
    on,
    sql`select link_id as link, replace(actor::text, '-', '') as actor,
        array_agg(distinct floor(extract(epoch from at) * 1000 / ${FIFTEEN_MINUTES_MS}::int)::float8) as intervals
      from unnest(${links}::text[], ${ids}::uuid[]) as wanted (link_id, actor)
      join ${identifier(schema, linkClicks.name)} using (link_id, actor)
      group by link_id, actor`,
  );
  return new Map(
    rows.map(({ link, actor, intervals }) => [keyOf(link, actor), intervals.map((at) => at * FIFTEEN_MINUTES_MS)]),
  );
}

const keyOf = (link: string, visitor: string): string => `${link} ${visitor}`;

type Click = LinkClicked['data'];

/** By column of the facts: its read model, and its value in a click; null = unknown (referrer: direct). */
const LINK_DIMENSIONS = {
  referrer: [models.linkReferrers, (click: Click) => sourceOfVisit(click).domain],
  country: [models.linkCountries, ({ country }: Click) => country],
  region: [models.linkRegions, ({ country, region }: Click) => placeText(country, region)],
  city: [models.linkCities, ({ country, city }: Click) => placeText(country, city)],
  device_type: [models.linkDevices, ({ device }: Click) => device],
  browser_name: [models.linkBrowsers, ({ browser }: Click) => browser],
} as const satisfies Readonly<Record<string, readonly [LinkDimension, (click: Click) => string | null]>>;

/** A read model whose rows follow from single clicks. */
export interface LinkProjection {
  readonly builds: ReadModel;
  readonly rowsOf: (click: LinkClicked) => readonly ReadModelRow[];
}

const projection = <Model extends ReadModel>(
  builds: Model,
  rowsOf: (click: LinkClicked) => readonly ReadModelRow<Model>[],
): LinkProjection => ({ builds, rowsOf });

/** The clicks; their visitors depend on what these did before (see link-visitors). */
const counts = projection(models.linkClicks15min, (click) =>
  blocksOf(click).map((block) => ({ ...block, clicks: 1, visitors: 0 })),
);

const dimensions = Object.values(LINK_DIMENSIONS).map(([builds, valueOf]) =>
  projection(builds, (click) => {
    const value = clean(valueOf(click.data));
    return blocksOf(click).map((block) => ({ ...block, value, clicks: 1 }));
  }),
);

/** Facts: each click with what filters ask for. */
const facts = projection(models.linkClicks, (click) => {
  return [{ ...keyOfClick(click), at: click.at, ...valuesOf(click.data) }];
});

/** The key of a click in the facts. */
function keyOfClick({ id: eventId, data }: LinkClicked) {
  const id = decodeEventId(eventId).toString('hex');
  return { link_id: data.linkId, actor: data.visitorId ?? id, id };
}

export const LINK_PROJECTIONS: readonly LinkProjection[] = [counts, ...dimensions, facts];

const blocksOf = ({ at, data }: LinkClicked) =>
  LINK_SPANS.map((span) => ({ link_id: data.linkId, span, start_15min: blockStart(at, span) }));

/** All values of a click by the columns of the facts. */
const valuesOf = (click: Click) => fromKeys(DIMENSIONS, (column) => clean(LINK_DIMENSIONS[column][1](click)));

const DIMENSIONS = keysOf(LINK_DIMENSIONS);

const clean = (text: string | null): string => (text === null ? '' : withoutNul(text));

/**
 * Returns what single clicks add, and the visitors of blocks of time, which depend on what these visitors did before.
 */
export const linksGroup = (projections = LINK_PROJECTIONS): ProjectionGroup<LoggedHit> => ({
  name: 'links',
  builds: [...projections.map(({ builds }) => builds), linkReturns],
  state: GROUP_TABLES.links.state,
  types: ['LinkClicked'],
  cursorOf: ({ offset }) => String(offset),
  loggedAt: ({ event }) => event.receivedAt,
  hitIn: ({ event }) => event,
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
 * Finds the clicks that are neither stored nor in the batch before, each once, by their keys. The intake log stores
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
  const names = [...clicks.keys()];
  const keys = [...clicks.values()].map(keyOfClick);
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
