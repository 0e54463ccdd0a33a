import type { Link } from '@ledgerline/contracts/records';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { invalid } from '../http/problems';

export const LINK_SORTS = ['-createdAt', 'createdAt', '-updatedAt', 'updatedAt', 'name', '-name'] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

/** What the order and cursors of a list are made of. */
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
export function orderBy(sort: LinkSort, table?: Sql): Sql {
  const { column, isDescending } = orderOf(sort);
  const of = table ? sql`${table}.` : emptySql;
  return isDescending ? sql`${of}${column} desc, ${of}id desc` : sql`${of}${column}, ${of}id`;
}

/** Only what comes after a cursor in the order. @throws Problem VALIDATION_ERROR for one of another order, or none */
export function following(sort: LinkSort, cursor: string | undefined): Sql {
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
