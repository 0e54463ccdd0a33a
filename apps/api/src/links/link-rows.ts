import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import type { Link, StoredRecords } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import { wordQuery } from '@ledgerline/domain/links/link-words';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { recordFieldsSql } from '@ledgerline/platform/registry/stored-registry';
import { invalid } from '../http/problems';
import type { LinkSort, WantedLinks } from './list-links.dto';

type StoredLink = StoredRecords['links'];

/** Ways to find the rows of a page, of which there is one more than its limit where others follow. */
export class LinkRows {
  constructor(
    private readonly on: Queryable,
    private readonly table: Sql,
    private readonly wanted: WantedLinks,
  ) {}

  /** Counts how many links pass the filters by the statistics of Postgres. */
  async estimated(): Promise<number> {
    type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] };
    const query = sql`explain (format json) select from ${this.table} where ${matching(this.wanted)}`;
    const [row] = await run<Explained>(this.on, query);
    return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
  }

  /** Finds all that pass the filters, and sorts them. Undefined when there are more than so many. */
  async counted(max: number): Promise<{ readonly rows: readonly StoredLink[]; readonly total: number } | undefined> {
    const { table, wanted } = this;
    const found = await run<(StoredLink & { readonly total: number }) | { readonly id: null; readonly total: number }>(
      this.on,
      sql`
        with matches as materialized (
          select id, name, created_at, updated_at from ${table} where ${matching(wanted)} limit ${max + 1}
        ), page as (${pageOf(sql`matches where true`, wanted)})
        select count.total, ${recordFieldsSql(RECORD_TABLES.links, sql`l`)}
        from (select count(*)::integer as total from matches) as count
        left join (page join ${table} l using (id)) on true
        order by ${orderBy(wanted.sort, sql`l`)}`,
    );
    const total = found[0]?.total ?? 0;
    return total > max
      ? undefined
      : { rows: found.flatMap((row) => (row.id === null ? [] : [omit(row, 'total')])), total };
  }

  /** Reads the list in its order, from an index, until the page is full or the list ends. */
  walked(): Promise<readonly StoredLink[]> {
    return this.walk(this.table);
  }

  /** Reads no more than so many links of the list, so that the page may lack some. */
  walkedAmong(first: number): Promise<readonly StoredLink[]> {
    const { organizationId, sort, cursor } = this.wanted;
    return this.walk(sql`(
      select id, organization_id, external_id, tag_ids, words, name, created_at, updated_at from ${this.table}
      where organization_id = ${organizationId} ${following(sort, cursor)} order by ${orderBy(sort)} limit ${first}
    ) as beginning`);
  }

  private walk(from: Sql): Promise<readonly StoredLink[]> {
    const { table, wanted } = this;
    return run<StoredLink>(
      this.on,
      sql`
        with page as (${pageOf(sql`${from} where ${matching(wanted)}`, wanted)})
        select ${recordFieldsSql(RECORD_TABLES.links, sql`l`)} from page join ${table} l using (id) order by ${orderBy(wanted.sort, sql`l`)}`,
    );
  }
}

const pageOf = (from: Sql, { sort, cursor, page, limit }: WantedLinks): Sql => sql`
  select id from ${from} ${following(sort, cursor)} order by ${orderBy(sort)}
  limit ${limit + 1} offset ${cursor === undefined ? (page - 1) * limit : 0}`;

type LinkConditions = Pick<WantedLinks, 'organizationId' | 'externalId' | 'tagId' | 'search'>;

export const matching = ({ organizationId, externalId, tagId, search }: LinkConditions): Sql => sql`
  organization_id = ${organizationId}
  ${externalId === undefined ? emptySql : sql`and external_id = ${externalId}`}
  ${tagId === undefined ? emptySql : sql`and tag_ids ? ${tagId}`}
  ${search === undefined ? emptySql : sql`and words @@ ${wordQuery(organizationId, search)}::tsquery`}`;

/** The fields from which the order and cursors of a list are made. */
type Sorted = Pick<Link, 'id' | 'name' | 'createdAt' | 'updatedAt'>;

interface Order {
  readonly column: Sql;
  readonly type: Sql;
  readonly valueOf: (link: Sorted) => string;
}

const TIME = sql`timestamptz`;
const ORDERS: Readonly<Record<string, Order>> = {
  createdAt: { column: sql`created_at`, type: TIME, valueOf: ({ createdAt }) => createdAt.toISOString() },
  updatedAt: { column: sql`updated_at`, type: TIME, valueOf: ({ updatedAt }) => updatedAt.toISOString() },
  name: { column: sql`name`, type: sql`text`, valueOf: ({ name }) => name },
};

/** The id decides between equal ones, so that the order is the same for every page. */
function orderBy(sort: LinkSort, table?: Sql): Sql {
  const { column, isDescending } = orderOf(sort);
  const of = table ? sql`${table}.` : emptySql;
  return isDescending ? sql`${of}${column} desc, ${of}id desc` : sql`${of}${column}, ${of}id`;
}

/** Only what comes after a cursor in the order. @throws Problem VALIDATION_ERROR for one of another order, or none */
function following(sort: LinkSort, cursor: string | undefined): Sql {
  if (cursor === undefined) return emptySql;
  const { column, type, isDescending } = orderOf(sort);
  const { value, id } = readCursor(sort, cursor);
  const last = sql`(${value}::${type}, ${id}::text)`;
  return isDescending ? sql`and (${column}, id) < ${last}` : sql`and (${column}, id) > ${last}`;
}

export const cursorAfter = (sort: LinkSort, link: Sorted): string =>
  Buffer.from(JSON.stringify([sort, orderOf(sort).valueOf(link), link.id])).toString('base64url');

function readCursor(sort: LinkSort, cursor: string): { readonly value: string; readonly id: string } {
  const [sorted, value, id] = parsed(cursor);
  const isValue = typeof value === 'string' && (sort.endsWith('name') || isTime(value));
  if (sorted !== sort || !isValue || typeof id !== 'string' || /\0/.test(value + id))
    throw invalid([{ field: 'cursor', message: 'Must be the nextCursor of a list with the same sort.' }]);
  return { value, id };
}

/** As `cursorAfter` writes it: what else is a date to JavaScript need not be one to Postgres. */
const isTime = (text: string): boolean =>
  /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

function parsed(cursor: string): readonly unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

const orderOf = (sort: LinkSort): Order & { readonly isDescending: boolean } => {
  const isDescending = sort.startsWith('-');
  return { ...(ORDERS[isDescending ? sort.slice(1) : sort] as Order), isDescending };
};
