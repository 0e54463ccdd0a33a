import { comparingRows, newestPageOf, pageOf, type Order, type Row } from '@ledgerline/domain/query/rows';
import { sortedPlaces } from '@ledgerline/domain/query/sorted-places';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { CHANGE, firstCountOf } from './comparison';
import { EVERY_ROW, type QueryContext, type QueryType } from '../query-type';

/** The rows of the page, in order. Totals, and a series without a limit, are page 1 and have no other. */
export async function pageOfRows(
  type: QueryType,
  { sort, page, isLimited }: Pick<QueryContext, 'sort' | 'page' | 'isLimited'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (type.sortedBySql) return rows;
  const isWhole = type.shape === 'totals' || (type.shape === 'series' && !isLimited);
  if (isWhole && page.page > 1) return [];
  const cut = isWhole ? EVERY_ROW : page;
  if (type.pagesFromNewest && !sort) return newestPageOf(rows, cut);
  const wanted = sort ? [orderBy(type, sort)] : [];
  const compare = comparingRows([...wanted, ...type.order]);
  const ofPlaces = (a: number, b: number) => compare(rows[a] ?? {}, rows[b] ?? {});
  const places = await sortedPlaces(rows.length, ofPlaces, yieldToEventLoop());
  return Array.from(pageOf(places, cut), (place) => rows[place] ?? {});
}

/** By the change of its first count, or by a field of its own. */
const orderBy = (type: QueryType, sort: Order): Order =>
  sort.field === CHANGE
    ? { ...sort, member: firstCountOf(type) }
    : { ...sort, values: type.fields[sort.field]?.values };
