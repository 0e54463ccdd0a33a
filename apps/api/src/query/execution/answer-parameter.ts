import { EVERY_ROW, type ValueFilter } from '../query-type';
import type { QueryParameter } from '../request/read-requests';
import { contextOf, findRows, type Found, type RowSource } from './answer';
import { CHANGE, withComparison } from './comparison';
import { pageOfRows } from './page-of-rows';
import { roundEstimates } from './round-estimates';
import type { SnapshotReader } from './snapshot';

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  parameter: Omit<QueryParameter, 'id' | 'notes'>,
  request: Parameters<typeof contextOf>[1],
  filters: readonly ValueFilter[],
  { client, snapshot, deadline, ...origin }: SnapshotReader & RowSource,
): Promise<Found> {
  const { type, earlier } = parameter;
  const context = contextOf(parameter, request, filters, snapshot);
  const wanted = context.sort?.field === CHANGE ? { ...context, page: EVERY_ROW } : context; // known when all are compared
  const { rows: exact, ...found } = await deadline.within(client, () => findRows(client, type, wanted, origin));
  const rows = await roundEstimates(type, exact);
  if (!earlier) return { ...found, rows: await pageOfRows(type, context, rows) };
  const before = contextOf({ ...parameter, ...earlier }, request, filters, snapshot);
  const every = { ...before, page: EVERY_ROW, beside: rows };
  const { rows: previous } = await deadline.within(client, () => findRows(client, type, every, origin));
  const compared = await withComparison(type, rows, await roundEstimates(type, previous));
  return { ...found, rows: await pageOfRows(type, context, compared) };
}
