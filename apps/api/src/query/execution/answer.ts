import type { Bucket } from '@ledgerline/domain/query/buckets';
import { changePercent } from '@ledgerline/domain/query/comparison';
import { comparingRows, newestPageOf, type Order, pageOf, type Row, sortedPlaces } from '@ledgerline/domain/query/rows';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { emptyRow, numberIn, SIGNIFICANT_DIGITS, type SqlRow } from '../fields';
import type { QueryRun } from '../query-run';
import { EVERY_ROW, type Executor, type QueryContext, type QueryType, type Source } from '../query-type';
import type { RequestCounts } from '../session-columns/request-counts';
import { CHANGE, countFor, partsOf, plan, type ParameterContexts } from './plan';
import type { ParameterResult, ResponseSizeLimit } from './response';

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  type: QueryType,
  contexts: ParameterContexts,
  run: QueryRun,
  counts: RequestCounts,
): Promise<ParameterResult> {
  const find = (context: QueryContext) => run.deadline.within(run.client, () => findRows(type, context, run, counts));
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
  run: QueryRun,
  counts: RequestCounts,
  budget: ResponseSizeLimit,
): Promise<ParameterResult> {
  const parts: ParameterResult[] = [];
  for (const part of partsOf(type, contexts)) {
    const found = await answerParameter(type, part, run, counts);
    const rows = await budget.fit(found.rows);
    parts.push({ ...found, rows });
    if (rows.length < part.page.page.limit) break;
  }
  const [first = { rows: [], hidden: 0 }] = parts;
  return { ...first, rows: parts.flatMap(({ rows }) => rows) };
}

/** How many rows of a series have no estimates for want of samples. */
function poorRows({ minimum, shape }: QueryType, { page: { minSamples } }: ParameterContexts, rows: readonly Row[]) {
  if (!minimum || shape !== 'series') return 0;
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
  { sort, page, isLimited }: Pick<QueryContext, 'sort' | 'page' | 'isLimited'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (type.singles || type.arrange) return rows;
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

/** The rows of a type before a page is cut out, executed as planned or, in tests, as forced. */
export async function findRows(
  type: QueryType,
  context: QueryContext,
  run: QueryRun<Queryable>,
  counts: RequestCounts,
  forced?: Executor,
): Promise<ParameterResult> {
  if (type.shape === 'series' && context.buckets.length === 0) return { rows: [] };
  if (type.rowsOf && context.options[type.rowsOf]?.length === 0)
    return { rows: [], ...(type.shape === 'list' ? { total: 0 } : {}) };
  const executor = forced ?? plan(type, context).executor;
  run.onPlan(type.name, executor);
  if (executor === 'history') {
    const { found, notes } = await run.history(context);
    return { rows: await rowsOf(type, context, found), total: found.length, notes };
  }
  const source = executor === 'rollups' ? 'fifteenMinutes' : 'facts';
  const asked = countFor(type, context, executor);
  const counted = asked?.isTotal === false ? await counts.rowsOf(asked) : undefined;
  const noted = asked?.isTotal === false ? await counts.notesOf(asked) : [];
  const notes = noted.length > 0 ? { notes: noted } : {};
  if (type.arrange && counted) {
    const { found, total } = await type.arrange(counted, context, run.client);
    return { rows: await rowsOf(type, context, found), total, ...notes };
  }
  const found = await (counted
    ? fromCounted(type, context, run, counted)
    : fromSql(type, context, run, sqlFor(type, context, source)));
  const rows = await rowsOf(type, context, found);
  if (type.shape !== 'list') return { rows, ...notes };
  const total = totalIn(type, context, found) ?? (counted && (totalIn(type, context, counted) ?? counted.length));
  if (total !== undefined) return { rows, total, ...notes };
  const isKept = asked !== undefined && forced === undefined;
  return { rows, total: await (isKept ? counts.totalOf(asked) : countRows(type, context, run, source)) };
}

/** What has names in the main database gets them. Single things, and what only they have, are read from facts by the times that were found. */
async function fromCounted(
  type: QueryType,
  context: QueryContext,
  run: QueryRun<Queryable>,
  counted: readonly SqlRow[],
): Promise<readonly SqlRow[]> {
  const [first] = counted;
  if (!first) return counted;
  if (!type.sources.facts) return type.complete?.(counted, run, context) ?? counted;
  const { page, limit } = context.page;
  const isAfterLast = 'total_rows' in first && (page - 1) * limit >= numberIn(first, 'total_rows');
  if (isAfterLast) return [];
  const numbers = (name: string) => counted.map((row) => numberIn(row, name));
  const found = { times: numbers('at'), ...('value' in first ? { values: numbers('value') } : {}) };
  return fromSql(type, context, run, type.sources.facts({ ...context, found }));
}

async function fromSql(
  { name, complete }: QueryType,
  context: QueryContext,
  run: QueryRun<Queryable>,
  query: Sql,
): Promise<readonly SqlRow[]> {
  const found = await runTraced(run.client, name, query);
  return complete?.(found, run, context) ?? found;
}

/** `summary` stands for the statement, which is long and in `test/query/rendered`. */
function runTraced(on: Queryable, summary: string, statement: Sql): Promise<readonly SqlRow[]> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return traced(`SQL ${summary}`, { kind: 'client', attributes }, async (set) => {
    const rows = await runSql<SqlRow>(on, statement);
    set({ 'db.response.returned_rows': rows.length });
    return rows;
  });
}

/** How many rows a list has, if the rows say so or are all there are. */
function totalIn(type: QueryType, { page, sort }: QueryContext, found: readonly SqlRow[]): number | undefined {
  const [first] = found;
  if (first && 'total_rows' in first) return numberIn(first, 'total_rows');
  const isWhole = sort !== null || type.pagesFromNewest || found.length < page.page * page.limit;
  return !type.singles && isWhole ? found.length : undefined;
}

async function countRows(
  type: QueryType,
  context: QueryContext,
  { client }: QueryRun<Queryable>,
  source: Source,
): Promise<number> {
  const every = () => sqlFor(type, { ...context, page: EVERY_ROW }, source);
  const count =
    type.singles?.countRows?.(context) ?? sql`select count(*)::float8 as total_rows from (${every()}) every_row`;
  const [row] = await runTraced(client, `${type.name} count`, count);
  return numberIn(row ?? emptyRow(), 'total_rows');
}

/** The SQL that answers a query type. */
export function sqlFor(type: QueryType, context: QueryContext, source: Source): Sql {
  const render = type.sources[source];
  if (!render) throw new Error(`${type.name} cannot be answered from ${source}.`);
  return render(context);
}

/** A list may have a million rows, and requests of others go on meanwhile. */
async function rowsOf(
  type: QueryType,
  { buckets, options }: QueryContext,
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
function seriesOf({ splitBy, row }: QueryType, buckets: readonly Bucket[], found: readonly SqlRow[]): Row[] {
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

/** The fields of a type that are compared: all numbers. */
export const figuresOf = ({ fields }: QueryType): string[] =>
  Object.keys(fields).filter((name) => {
    const { type, isLabel } = fields[name] ?? {};
    return !isLabel && (type === 'integer' || type === 'number');
  });

/** The count that a list is ordered by, or else the first one of a row. */
export function firstCountOf(type: QueryType): string | undefined {
  const figures = figuresOf(type);
  return type.order.find(({ field }) => figures.includes(field))?.field ?? figures[0];
}

/**
 * Rows with the figures of an earlier range beside them: those of the row with the same labels, in a series of the
 * bucket at the same place, and those of no events where there is none. Both are all rows, before a page is cut out.
 */
export async function withComparison(type: QueryType, rows: readonly Row[], earlier: readonly Row[]): Promise<Row[]> {
  const figures = figuresOf(type);
  const labels = await labelsOf(type, rows);
  const [wanted, before] = [new Set(labels), new Map<string, Row | undefined>()];
  for (const [place, label] of (await labelsOf(type, earlier)).entries())
    if (wanted.has(label)) before.set(label, earlier[place]);
  return rows.map((row, place) => {
    const old = before.get(labels[place] ?? '') ?? type.row(emptyRow());
    const change = (name: string) => changePercent(numberOf(row[name]), numberOf(old[name]));
    return {
      ...row,
      previous: Object.fromEntries(figures.map((name): [string, unknown] => [name, old[name]])),
      [CHANGE]: Object.fromEntries(figures.map((name) => [name, change(name)])),
    };
  });
}

/**
 * What tells each of the rows apart: the texts that their list is ordered by in the end, and in a series the place of
 * the bucket instead of its date.
 */
function labelsOf({ shape, fields, order }: QueryType, rows: readonly Row[]): Promise<string[]> {
  const isLabel = (name: string) => fields[name]?.isLabel || fields[name]?.type === 'string';
  const texts = Object.keys(fields).filter((name) => isLabel(name) && name !== 'date');
  const ordered = texts.filter((name) => order.some(({ field }) => field === name));
  const labels = shape === 'list' && ordered.length > 0 ? ordered : texts;
  let bucket = 0;
  return mapInSlices(rows, (row, place) => {
    if (place > 0 && row['date'] !== rows[place - 1]?.['date']) bucket++;
    return JSON.stringify([shape === 'series' ? bucket : 0, ...labels.map((name) => row[name])]);
  });
}

const numberOf = (cell: unknown): number | null => (typeof cell === 'number' ? cell : null);
