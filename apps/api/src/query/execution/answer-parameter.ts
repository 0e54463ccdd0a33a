import { EVERY_ROW, type QueryContext, type QueryType, type ValueFilter } from '../query-type';
import type { QueryParameter } from '../request/read-requests';
import type { AskedType } from '../session-columns/request-counts';
import { contextOf, findRows, type Found, type RowOrigin } from './answer';
import { CHANGE, withComparison } from './comparison';
import { pageOfRows } from './page-of-rows';
import { plan } from './plan';
import { roundEstimates } from './round-estimates';
import type { SnapshotReader } from './snapshot';

/** What a parameter is answered from. */
export interface ParameterContexts {
  readonly page: QueryContext;
  /** Of the rows that the page is cut out of. */
  readonly rows: QueryContext;
  /** Of the earlier range that they are compared with. */
  readonly earlier?: QueryContext;
}

export function contextsOf(
  parameter: Omit<QueryParameter, 'id' | 'notes'>,
  request: Parameters<typeof contextOf>[1],
  filters: readonly ValueFilter[],
  snapshot: SnapshotReader['snapshot'],
): ParameterContexts {
  const { earlier } = parameter;
  const page = contextOf(parameter, request, filters, snapshot);
  const rows = page.sort?.field === CHANGE ? { ...page, page: EVERY_ROW } : page; // known when all are compared
  if (!earlier) return { page, rows };
  const before = contextOf({ ...parameter, ...earlier, minSamples: 1 }, request, filters, snapshot); // beside any row
  return { page, rows, earlier: { ...before, page: EVERY_ROW } };
}

/** What of it is counted from columns. */
export const countedTypes = (type: QueryType, { rows, earlier }: ParameterContexts): readonly AskedType[] =>
  [rows, ...(earlier ? [earlier] : [])]
    .filter((context) => plan(type, context).executor === 'sessionColumns')
    .map((context) => [type, context]);

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  type: QueryType,
  contexts: ParameterContexts,
  { client, deadline, ...origin }: Pick<SnapshotReader, 'client' | 'deadline'> & RowOrigin,
): Promise<Found> {
  const find = (context: QueryContext) => deadline.within(client, () => findRows(client, type, context, origin));
  const { rows: exact, ...found } = await find(contexts.rows);
  const rows = await roundEstimates(type, exact);
  if (!contexts.earlier) return { ...found, rows: await pageOfRows(type, contexts.page, rows) };
  const { rows: previous } = await find({ ...contexts.earlier, beside: rows });
  const compared = await withComparison(type, rows, await roundEstimates(type, previous));
  return { ...found, rows: await pageOfRows(type, contexts.page, compared) };
}
