import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import { visitsOf } from '@ledgerline/domain/links/visits';
import { blockStart, FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { difference, FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { upsertInto, writeTo, type Changes, type WrittenTables } from '../projection-group';

/** A visitor who clicked a link in a batch, and the 15-minute intervals in which they did. */
interface LinkVisitor {
  readonly link: string;
  readonly id: string;
  readonly intervals: Set<number>;
}

type Clicked = NonNullable<Changes['clicked']>;

export function visitorsOf(clicks: Iterable<LinkClicked>): ReadonlyMap<string, LinkVisitor> {
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

/** What the clicks of these visitors change in the counts of visitors by block of time. */
export async function countVisitors(
  on: Queryable,
  tables: WrittenTables,
  visitors: ReadonlyMap<string, LinkVisitor>,
  unwritten: Clicked = new Map(),
): Promise<Changes> {
  const wanted = [...visitors].filter(([key]) => !unwritten.has(key)).map(([, visitor]) => visitor);
  const stored = await clickedBefore(on, tables.state, wanted);
  const [old, now] = [new VisitorCounts(), new VisitorCounts()];
  const clicked = new Map<string, readonly number[]>();
  for (const [key, { link, intervals }] of visitors) {
    const before = unwritten.get(key) ?? stored.get(key) ?? [];
    const after = [...new Set([...before, ...intervals])].sort((a, b) => a - b);
    clicked.set(key, after);
    if (after.length === before.length) continue;
    old.add(link, before);
    now.add(link, after);
  }
  const counts = difference(old.counts, now.counts);
  const returns = difference(old.returns, now.returns);
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
  const [links, ids] = [visitors.map(({ link }) => link), visitors.map(({ id }) => id)];
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
