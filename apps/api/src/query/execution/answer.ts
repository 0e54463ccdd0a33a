import type { Bucket } from '@ledgerline/domain/query/buckets';
import {
  comparingRows,
  newestPageOf,
  type Order,
  type Page,
  pageOf,
  type Row,
  sortedPlaces,
} from '@ledgerline/domain/query/rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import {
  CHANGE,
  emptyRow,
  numberIn,
  SIGNIFICANT_DIGITS,
  textIn,
  type Field,
  type SqlRow,
  minimumOf,
} from '../declaration/fields';
import { EVERY_ROW, type QueryContext, type Question } from '../declaration/query-context';
import type { QueryType, Services } from '../declaration/query-type';
import { withProfileKeys } from '../sql/rows';
import { firstCountOf, withComparison } from './comparison';
import { partsOf, type ParameterContexts } from './contexts';
import { type Execution, plan, pagesFromNewest } from './executors';
import type { ParameterResult } from './response';
import type { ResponseSizeLimit } from './response-size';

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  type: QueryType,
  contexts: ParameterContexts,
  execution: Execution,
): Promise<ParameterResult> {
  try {
    return await findPage(type, contexts, execution);
  } finally {
    execution.counts.release();
  }
}

async function findPage(type: QueryType, contexts: ParameterContexts, execution: Execution): Promise<ParameterResult> {
  const { deadline, client } = execution;
  const find = (context: QueryContext) => deadline.within(client, () => findRows(type, context, execution));
  const { rows: exact, ...counted } = await find(contexts.rows);
  const rows = await roundEstimates(type, exact);
  const every = contexts.all && (await find(contexts.all));
  const found = {
    ...counted,
    hidden: every ? (every.total ?? 0) - (counted.total ?? 0) : poorRows(type, contexts, exact),
  };
  if (!contexts.earlier) return { ...found, rows: await pageOfRows(type, contexts.page, rows) };
  const { rows: previous } = await find({ ...contexts.earlier, beside: rows });
  const compared = await withComparison(type, rows, await roundEstimates(type, previous));
  return { ...found, rows: await pageOfRows(type, contexts.page, compared) };
}

/** The first rows of all, as many as the response has room for. */
export async function answerWhole(
  type: QueryType,
  contexts: ParameterContexts,
  execution: Execution,
  budget: ResponseSizeLimit,
): Promise<ParameterResult> {
  const parts: ParameterResult[] = [];
  for (const part of partsOf(type, contexts)) {
    const found = await answerParameter(type, part, execution);
    const rows = await budget.fit(found.rows);
    parts.push({ ...found, rows });
    if (rows.length < part.page.page.limit) break;
  }
  const [first = { rows: [], hidden: 0 }] = parts;
  return { ...first, rows: parts.flatMap(({ rows }) => rows) };
}

/** How many rows of a series have no estimates for want of samples. */
function poorRows(type: QueryType, { page: { minSamples } }: ParameterContexts, rows: readonly Row[]) {
  const minimum = minimumOf(type);
  if (!minimum || type.shape !== 'series') return 0;
  return rows.filter((row) => Number(row[minimum.of]) > 0 && Number(row[minimum.of]) < minSamples).length;
}

/** The rows with the figures that are not exact rounded, whether they come from histograms or, exactly, from facts. */
export async function roundEstimates({ fields }: QueryType, rows: readonly Row[]): Promise<readonly Row[]> {
  const estimates = Object.keys(fields).filter((name) => fields[name]?.accuracy !== undefined);
  if (estimates.length === 0) return rows;
  return mapInSlices(rows, (row) => ({
    ...row,
    ...Object.fromEntries(estimates.map((name) => [name, rounded(row[name])])),
  }));
}

const rounded = (cell: unknown): unknown =>
  typeof cell === 'number' ? Number(cell.toPrecision(SIGNIFICANT_DIGITS)) : cell;

/** The rows of the page, in order. Totals, and a series without a limit, are page 1 and have no other. */
export async function pageOfRows(
  type: QueryType,
  { sort, page, isLimited }: Pick<Question, 'sort' | 'page' | 'isLimited'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (type.sources.singles || type.arrange) return rows;
  const isWhole = type.shape === 'totals' || (type.shape === 'series' && !isLimited);
  if (isWhole && page.page > 1) return [];
  const cut = isWhole ? EVERY_ROW : page;
  return pagesFromNewest(type) && !sort ? newestPageOf(rows, cut) : sortedPage(type, sort, rows, cut);
}

async function sortedPage(type: QueryType, sort: Order | null, rows: readonly Row[], cut: Page): Promise<Row[]> {
  const compare = comparingRows([...(sort ? [orderBy(type, sort)] : []), ...type.order]);
  const ofPlaces = (a: number, b: number) => compare(rows[a] ?? {}, rows[b] ?? {});
  const places = await sortedPlaces(rows.length, ofPlaces, yieldToEventLoop());
  return Array.from(pageOf(places, cut), (place) => rows[place] ?? {});
}

/** By the change of its first count, or by a field of its own. */
const orderBy = (type: QueryType, sort: Order): Order =>
  sort.field === CHANGE
    ? { ...sort, member: firstCountOf(type) }
    : { ...sort, values: type.fields[sort.field]?.values };

/** The rows of a type before a page is cut out, executed as planned or, in tests, as forced. */
export async function findRows(
  type: QueryType,
  context: QueryContext,
  execution: Execution<Queryable>,
  executor = plan(type, context).executor,
): Promise<ParameterResult> {
  const isOfNothing = type.shape === 'series' ? context.buckets.length === 0 : false;
  if (isOfNothing || context.options.goals?.length === 0)
    return { rows: [], total: type.shape === 'list' ? 0 : undefined };
  execution.onPlan(type.name, type.sources.own?.name ?? executor.name);
  const { rows, ...found } = await executor.run({ type, context, execution });
  return { rows: await rowsOf(type, context, await lookedUp(type, context, rows, execution)), ...found };
}

/** Adds the columns of fields that only the main database has. */
async function lookedUp(
  { fields }: QueryType,
  { link: websiteId }: Question,
  rows: readonly SqlRow[],
  { main, targets }: Services,
): Promise<readonly SqlRow[]> {
  const isWanted = (from: Field['from']) => Object.values(fields).some((field) => field.from === from);
  if (isWanted('profiles')) return withProfileKeys(rows, main);
  if (!isWanted('links')) return rows;
  const names = await targets.linkNames(
    websiteId,
    rows.map((row) => textIn(row, 'text')).filter((id) => id !== ''),
  );
  return rows.map((row) => {
    const { name = null, externalId = null } = names.get(textIn(row, 'text')) ?? {};
    return { ...row, name, external_id: externalId };
  });
}

/** A list may have a million rows, and requests of others go on meanwhile. */
async function rowsOf(
  type: QueryType,
  { buckets, options }: Question,
  found: readonly SqlRow[],
): Promise<readonly Row[]> {
  switch (type.shape) {
    case 'totals':
      return [type.row(found[0] ?? emptyRow())];
    case 'series':
      return seriesOf(type, buckets, found);
    case 'list':
      return mapInSlices(found, (row) => type.row(row, options));
  }
}

/** A row for each bucket, or of each bucket for each value that the series is split by. */
function seriesOf({ fields, row }: QueryType, buckets: readonly Bucket[], found: readonly SqlRow[]): Row[] {
  const splitBy = Object.values(fields).find((field) => field.splitBy !== undefined)?.splitBy;
  const partOf = (of: SqlRow) => (splitBy === undefined ? 0 : numberIn(of, splitBy));
  const rows = new Map(found.map((of) => [`${numberIn(of, 'bucket')} ${partOf(of)}`, of]));
  const parts = [...new Set(found.map(partOf))].sort((a, b) => a - b);
  const empties = parts.map((part) => emptyRow(splitBy === undefined ? {} : { [splitBy]: part }));
  return buckets.flatMap(({ label: date }, at) =>
    (parts.length === 0 ? [0] : parts).map((part, place) =>
      row({ ...(rows.get(`${at + 1} ${part}`) ?? empties[place] ?? emptyRow()), date }),
    ),
  );
}
