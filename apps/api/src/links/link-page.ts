import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { linkCounts, links } from '@ledgerline/contracts/read-models/registry';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { wordQuery } from '@ledgerline/domain/links/link-words';
import type { Link } from '@ledgerline/contracts/records';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { unavailable } from '../http/problems';
import { cursorAfter, following, orderBy, type Sorted } from './link-order';
import { type WantedLinks, MAX_COUNTED } from './list-links.dto';

export interface LinkPage {
  readonly links: readonly Link[];
  /** How many there are; of filtered links at least so many, if it is not exact. */
  readonly total: number;
  readonly totalIsExact: boolean;
  /** Of the links that follow; null = none do. */
  readonly nextCursor: string | null;
}

interface Row extends Sorted {
  readonly details: LinkDetails;
  readonly created_by: string;
  readonly revision: number;
}

interface Found {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** What a page is read from: the table in the live schema, and the request. */
interface Source {
  readonly on: Queryable;
  readonly schema: string;
  readonly wanted: WantedLinks;
  readonly maxCounted: number;
}

/**
 * One page from one snapshot. Filters that leave few links are answered from all that they leave; where they leave many,
 * the links are walked in the order of the list until the page is full, and the total is not exact.
 */
export async function readLinkPage(on: Queryable, wanted: WantedLinks, maxCounted = MAX_COUNTED): Promise<LinkPage> {
  const source = { on, schema: await liveSchema(on), wanted, maxCounted };
  const isFiltered = wanted.externalId !== undefined || wanted.search !== undefined;
  const few = isFiltered ? await pageOfFew(source) : undefined;
  const { rows, total } = few ?? (await pageOfMany(source, isFiltered));
  const page = rows.slice(0, wanted.limit);
  const last = page.at(-1);
  return {
    links: page.map(linkOf),
    total,
    totalIsExact: !isFiltered || few !== undefined,
    nextCursor: last && rows.length > page.length ? cursorAfter(wanted.sort, last) : null,
  };
}

async function liveSchema(on: Queryable): Promise<string> {
  const group = sql`select live_version from projection_groups where name = 'registry'`;
  const [live] = await run<{ live_version: number }>(on, group);
  if (!live) throw unavailable();
  return schemaOf('registry', live.live_version);
}

/** Undefined when the filters leave more links than are counted. */
async function pageOfFew({ on, schema, wanted, maxCounted }: Source): Promise<Found | undefined> {
  const table = identifier(schema, links.name);
  const found = await run<(Row | { readonly id: null }) & { readonly total: number }>(
    on,
    sql`
      with matches as materialized (
        select id, name, created_at, updated_at from ${table} where ${matching(wanted)} limit ${maxCounted + 1}
      ), page as (${pageOf(sql`matches where true`, wanted)})
      select count.total, ${columns(sql`l`)}
      from (select count(*)::integer as total from matches) as count
      left join (page join ${table} l using (id)) on true
      order by ${orderBy(wanted.sort, sql`l`)}`,
  );
  const total = found[0]?.total ?? 0;
  return total > maxCounted ? undefined : { rows: found.filter((row) => row.id !== null), total };
}

/** What is skipped is only read from an index, where the order has one. */
async function pageOfMany({ on, schema, wanted, maxCounted }: Source, isFiltered: boolean): Promise<Found> {
  const table = identifier(schema, links.name);
  const [rows, counts] = await Promise.all([
    run<Row>(
      on,
      sql`
        with page as (${pageOf(sql`${table} where ${matching(wanted)}`, wanted)})
        select ${columns(sql`l`)} from page join ${table} l using (id) order by ${orderBy(wanted.sort, sql`l`)}`,
    ),
    isFiltered
      ? [{ total: maxCounted }]
      : run<{ total: number }>(
          on,
          sql`select links::integer as total from ${identifier(schema, linkCounts.name)}
            where organization_id = ${wanted.organizationId}`,
        ),
  ]);
  return { rows, total: counts[0]?.total ?? 0 };
}

const pageOf = (from: Sql, { sort, cursor, page, limit }: WantedLinks): Sql => sql`
  select id from ${from} ${following(sort, cursor)} order by ${orderBy(sort)}
  limit ${limit + 1} offset ${cursor === undefined ? (page - 1) * limit : 0}`;

const matching = ({ organizationId, externalId, search }: WantedLinks): Sql => sql`
  organization_id = ${organizationId}
  ${externalId === undefined ? emptySql : sql`and external_id = ${externalId}`}
  ${search === undefined ? emptySql : sql`and words @@ ${wordQuery(organizationId, search)}::tsquery`}`;

const columns = (of: Sql): Sql =>
  sql`${of}.id, ${of}.details, ${of}.created_by, ${of}.created_at, ${of}.updated_at, ${of}.revision`;

const linkOf = ({ id, details, created_by, created_at, updated_at, revision }: Row): Link => ({
  id,
  ...details,
  createdBy: created_by,
  createdAt: created_at,
  updatedAt: updated_at,
  revision,
});
