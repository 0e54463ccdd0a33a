import { linkCounts, links } from '@ledgerline/contracts/read-models/registry';
import { withDetails, type Link, type StoredRecords } from '@ledgerline/contracts/records';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { liveTables, orRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import { unavailable } from '../http/problems';
import { cursorAfter } from './link-order';
import { LinkRows } from './link-rows';
import { type WantedLinks, MAX_COUNTED } from './list-links.dto';

export interface LinkPage {
  readonly links: readonly Link[];
  /** How many there are; of filtered links about so many or more, if it is not exact. */
  readonly total: number;
  readonly totalIsExact: boolean;
  /** Of the links that follow; null = none do. */
  readonly nextCursor: string | null;
}

/** How many links a filtered list counts, and how many it reads in its order instead of counting. */
interface LinkPageLimits {
  readonly maxCounted: number;
  readonly maxWalked: number;
}

const LIMITS: LinkPageLimits = { maxCounted: MAX_COUNTED, maxWalked: 20_000 };
/** Estimates of less than so many times what is counted are no reason not to count. */
const ESTIMATE_MARGIN = 1.5;

interface Found {
  readonly rows: readonly StoredRecords['links'][];
  readonly total: number;
  readonly isExact: boolean;
}

/**
 * One page from one snapshot. Filters that leave few links are answered from all that they leave; where they leave many,
 * the links are walked in the order of the list until the page is full, and the total is not exact.
 */
export async function readLinkPage(on: Queryable, wanted: WantedLinks, limits = LIMITS): Promise<LinkPage> {
  const tables = await linkTables(on);
  const rows = new LinkRows(on, tables.links, wanted);
  const isFiltered = wanted.externalId !== undefined || wanted.search !== undefined;
  const found = isFiltered
    ? await filteredPage(rows, wanted.limit, limits)
    : await unfilteredPage(rows, countOf(on, tables.counts, wanted));
  const page = found.rows.slice(0, wanted.limit).map(withDetails);
  const last = page.at(-1);
  return {
    links: page,
    total: found.total,
    totalIsExact: found.isExact,
    nextCursor: last && found.rows.length > page.length ? cursorAfter(wanted.sort, last) : null,
  };
}

/** @throws RebuildingProblem */
async function linkTables(on: Queryable): Promise<{ readonly links: Sql; readonly counts: Sql }> {
  const tables = await liveTables(on, 'registry');
  if (!tables) throw unavailable();
  return orRebuilding(on, () => ({ links: tables.wholeTable(links), counts: tables.wholeTable(linkCounts) }));
}

/** Estimates only decide whether to walk first: a walk that does not soon fill the page contradicts them. */
async function filteredPage(links: LinkRows, limit: number, { maxCounted, maxWalked }: LinkPageLimits): Promise<Found> {
  const many = { total: maxCounted, isExact: false };
  if ((await links.estimated()) >= maxCounted * ESTIMATE_MARGIN) {
    const rows = await links.walkedAmong(maxWalked);
    if (rows.length > limit) return { rows, ...many };
  }
  const few = await links.counted(maxCounted);
  return few ? { ...few, isExact: true } : { rows: await links.walked(), ...many };
}

async function unfilteredPage(links: LinkRows, count: Promise<number>): Promise<Found> {
  const [rows, total] = await Promise.all([links.walked(), count]);
  return { rows, total, isExact: true };
}

async function countOf(on: Queryable, counts: Sql, { organizationId }: WantedLinks): Promise<number> {
  const query = sql`select links::integer as total from ${counts} where organization_id = ${organizationId}`;
  const [count] = await run<{ total: number }>(on, query);
  return count?.total ?? 0;
}
