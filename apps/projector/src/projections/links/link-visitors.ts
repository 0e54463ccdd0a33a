import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { QUARTER_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicks, linkClicksQuarterly, linkReturns } from '@ledgerline/contracts/read-models/links';
import { visitsOf } from '@ledgerline/domain/links/visits';
import { quarterBlock, QUARTER_MS } from '@ledgerline/domain/time/quarters';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { difference, FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied, upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { Changes } from '../projection-group';

/** Somebody who clicked a link in a batch, and in which quarters. */
interface Visitor {
  readonly link: string;
  readonly id: string;
  readonly quarters: Set<number>;
}

type Clicked = NonNullable<Changes['clicked']>;

export function visitorsOf(clicks: readonly LinkClicked[]): ReadonlyMap<string, Visitor> {
  const visitors = new Map<string, Visitor>();
  for (const { at, data } of clicks) {
    if (data.visitorId === null) continue;
    const key = keyOf(data.linkId, data.visitorId);
    const visitor = visitors.get(key) ?? { link: data.linkId, id: data.visitorId, quarters: new Set() };
    visitors.set(key, visitor);
    visitor.quarters.add(quarterBlock(at, 1));
  }
  return visitors;
}

/** What the clicks of these visitors change in the counts of visitors by block of time. */
export async function countVisitors(
  on: Queryable,
  schema: string,
  visitors: ReadonlyMap<string, Visitor>,
  unwritten: Clicked | undefined,
): Promise<Changes> {
  const wanted = [...visitors].filter(([key]) => !unwritten?.has(key)).map(([, visitor]) => visitor);
  const before = await clickedBefore(on, schema, wanted);
  const [old, now] = [new Visits(), new Visits()];
  const clicked = new Map<string, readonly number[]>();
  for (const [key, { link, quarters }] of visitors) {
    const known = unwritten?.get(key) ?? before.get(key) ?? [];
    const all = [...new Set([...known, ...quarters])].sort((a, b) => a - b);
    clicked.set(key, all);
    if (all.length === known.length) continue;
    old.add(link, known);
    now.add(link, all);
  }
  const visits = difference(old.visits, now.visits);
  const returns = difference(old.returns, now.returns);
  const statements = [
    ...(visits.length > 0 ? [upsert(schema, linkClicksQuarterly, visits)] : []),
    ...(returns.length > 0 ? [upsert(schema, linkReturns, returns)] : []),
    deleteEmptied(schema, linkReturns, returns) ?? [],
  ].flat();
  return { statements, clicked };
}

/** The visitors of blocks, as rows. */
class Visits {
  readonly visits = new FoldedRows(linkClicksQuarterly);
  readonly returns = new FoldedRows(linkReturns);

  add(link: string, quarters: readonly number[]): void {
    for (const { span, quarter, previousQuarter } of visitsOf(quarters, QUARTER_SPANS)) {
      this.visits.add({ link_id: link, span, quarter, clicks: 0, visitors: 1 });
      if (previousQuarter === undefined) continue;
      this.returns.add({ link_id: link, span, quarter, previous_quarter: previousQuarter, visitors: 1 });
    }
  }
}

/** The quarters in which these visitors have clicked, in their order; those who never did are missing. */
async function clickedBefore(on: Queryable, schema: string, visitors: readonly Visitor[]): Promise<Clicked> {
  if (visitors.length === 0) return new Map();
  const [links, ids] = [visitors.map(({ link }) => link), visitors.map(({ id }) => id)];
  const rows = await run<{ link: string; unit: string; quarters: number[] }>(
    on,
    sql`select link_id as link, replace(unit::text, '-', '') as unit,
        array_agg(distinct floor(extract(epoch from at) * 1000 / ${QUARTER_MS}::int)::float8) as quarters
      from unnest(${links}::text[], ${ids}::uuid[]) as wanted (link_id, unit)
      join ${identifier(schema, linkClicks.name)} using (link_id, unit)
      group by link_id, unit`,
  );
  return new Map(rows.map(({ link, unit, quarters }) => [keyOf(link, unit), quarters.map((at) => at * QUARTER_MS)]));
}

const keyOf = (link: string, visitor: string): string => `${link} ${visitor}`;
