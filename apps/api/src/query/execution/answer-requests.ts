import { Problem, RebuildingProblem } from '@ledgerline/contracts/errors/error-codes';
import { isCanceled, isMissingColumn, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { rebuildingProblem, TableRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { forbidden } from '../../http/problems';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { RequestCounts } from '../session-columns/request-counts';
import {
  answerParameter,
  answerWhole,
  checkSupported,
  contextsOf,
  countedTypes,
  type ParameterContexts,
} from './answer';
import { answerKey, isSteady, type AnswerCache, type Asking, type Computed } from './answer-cache';
import { filterNotes, isEmpty } from './filter-notes';
import { lookUpFilters, type RequestFilter } from './filters';
import {
  CUT,
  HIDDEN,
  metaOf,
  PROBLEM,
  ResponseSizeLimit,
  TOTAL,
  type ParameterResult,
  type RequestAnswer,
} from './response';
import { AFTER_FAILURE, outOfTime, type SnapshotReader } from './snapshot';

/** The transaction that requests are answered in. */
interface Transaction extends SnapshotReader, Asking {
  readonly deadline: SnapshotReader['deadline'];
  readonly cache: AnswerCache;
  readonly logger: Logger;
  readonly requestId: string | undefined;
}

/** The same for one request. */
interface RequestTransaction extends Transaction {
  readonly request: QueryRequest;
  /** Shared by all requests of the body. */
  readonly budget: ResponseSizeLimit;
}

/** The same for some of its types, which share what is counted. */
interface CountingTransaction extends RequestTransaction {
  readonly counts: RequestCounts;
}

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** Requests are answered one after the other; the failure of a look-up of filters fails all, that of a query only its own entry. */
export async function answerRequests(
  requests: readonly QueryRequest[],
  transaction: Transaction,
  notes: readonly string[],
): Promise<RequestAnswer[]> {
  const budget = new ResponseSizeLimit();
  const answered: Answered[] = [];
  for (const request of requests) answered.push(await answerRequest({ ...transaction, request, budget }));
  const snapshot = { ...transaction.snapshot, lagMs: await transaction.snapshot.lagMs };
  return answered.map(({ request, applied, data, unmatched }) => {
    const meta = metaOf(request, snapshot, applied, [...notes, ...unmatched], data);
    return { success: true, queryId: request.id, data, meta };
  });
}

interface Answered {
  readonly request: QueryRequest;
  readonly data: readonly ParameterResult[];
  /** How many filters. */
  readonly applied: number;
  /** Notes on filters that match nothing. */
  readonly unmatched: readonly string[];
}

async function answerRequest(transaction: RequestTransaction): Promise<Answered> {
  const { request, cache, snapshot, budget } = transaction;
  const filters = await findFilters(transaction);
  const asked = request.parameters.map((parameter) => askedParameter(parameter, request, filters, transaction));
  const steady = asked.filter(({ parameter: { type } }) => isSteady(type));
  const others = asked.filter((each) => !steady.includes(each));
  const key = answerKey('entries', { ...request, parameters: steady.map(({ parameter }) => parameter) }, snapshot);
  let counts: RequestCounts | undefined;
  const compute = async (): Promise<Computed<readonly ParameterResult[]>> => {
    counts = countsOf(asked, transaction);
    const before = budget.rest;
    const value = await entriesFor(steady, { ...transaction, counts });
    return { value, bytes: before - budget.rest, isKept: value.every(({ success }) => success) };
  };
  const fits = (bytes: number) => budget.takeBytes(bytes);
  const kept = steady.length === 0 ? [] : await cache.find(key, transaction, compute, fits);
  const own = await entriesFor(others, { ...transaction, counts: counts ?? countsOf(others, transaction) });
  const data = asked.flatMap((each) => kept[steady.indexOf(each)] ?? own[others.indexOf(each)] ?? []);
  // an entry that does not know a filter fails, so whatever succeeded has applied all of them
  const applied = data.some(({ success }) => success) ? filters.length : 0;
  return { request, data, applied, unmatched: await findNotes(filters, data, transaction) };
}

/** What the filters of a request match. */
async function findFilters(transaction: RequestTransaction): Promise<readonly RequestFilter[]> {
  const { request, client, snapshot, deadline, cache } = transaction;
  if (request.filters.length === 0) return [];
  return cache.find(answerKey('filters', { ...request, parameters: [] }, snapshot), transaction, async () => {
    const value = await deadline.within(client, () => lookUpFilters(client, request, snapshot));
    return { value, bytes: JSON.stringify(value).length, isKept: true };
  });
}

/** Notes on the filters of an answer that is empty. */
async function findNotes(
  filters: readonly RequestFilter[],
  data: readonly ParameterResult[],
  transaction: RequestTransaction,
): Promise<readonly string[]> {
  const { request, snapshot, cache, signal } = transaction;
  if (filters.length === 0 || !isEmpty(request, data)) return [];
  const compute = async () => {
    const value = await filterNotes(request, filters, transaction);
    return { value, bytes: JSON.stringify(value).length, isKept: true };
  };
  return cache.find(answerKey('notes', request, snapshot), transaction, compute).catch(async (error: unknown) => {
    signal.throwIfAborted();
    await recover(transaction, 'notes on filters', error); // logged: the answer is whole without them
    return [];
  });
}

interface AskedParameter {
  readonly parameter: QueryParameter;
  readonly contexts: ParameterContexts | { readonly failure: unknown };
}

function askedParameter(
  parameter: QueryParameter,
  request: QueryRequest,
  filters: readonly RequestFilter[],
  { snapshot }: Transaction,
): AskedParameter {
  try {
    if (request.subject.publicOnly && !parameter.type.publicAccess)
      throw forbidden({ needs: 'read:data', of: 'website' });
    checkSupported(parameter, request);
    return { parameter, contexts: contextsOf(parameter, request, filters, snapshot) };
  } catch (failure) {
    return { parameter, contexts: { failure } };
  }
}

/** What is counted for types, all together. */
function countsOf(asked: readonly AskedParameter[], transaction: Transaction): RequestCounts {
  const counted = asked.flatMap(({ parameter: { type }, contexts }) =>
    'failure' in contexts ? [] : countedTypes(type, contexts),
  );
  return new RequestCounts(transaction, counted);
}

async function entriesFor(
  asked: readonly AskedParameter[],
  transaction: CountingTransaction,
): Promise<readonly ParameterResult[]> {
  const pause = yieldToEventLoop();
  const entries: ParameterResult[] = [];
  for (const each of asked) {
    entries.push(await entryFor(each, transaction));
    await pause();
  }
  return entries;
}

async function entryFor(
  { parameter: { type, id, isWhole }, contexts }: AskedParameter,
  transaction: CountingTransaction,
): Promise<ParameterResult> {
  const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
  try {
    if ('failure' in contexts) throw contexts.failure;
    const answer = () => (isWhole ? answerWhole : answerParameter)(type, contexts, transaction);
    const { rows, total, hidden } = await traced(`answer ${type.name}`, {}, answer);
    if (!isWhole) await transaction.budget.take(rows);
    const isCut = isWhole === true && rows.length < (total ?? 0);
    const counted = { [HIDDEN]: hidden, [CUT]: isCut, ...(total === undefined ? {} : { [TOTAL]: total }) };
    return { ...named, success: true, data: rows, ...counted };
  } catch (error) {
    transaction.signal.throwIfAborted();
    const problem = error instanceof Problem ? error : await recover(transaction, type.name, error);
    const filled = problem instanceof RebuildingProblem ? { code: problem.code, progress: problem.progress } : {};
    return { ...named, success: false, error: problem.message, ...filled, data: [], [PROBLEM]: problem };
  }
}

/** Makes the transaction usable again after an unexpected failure, whose cause is only logged. */
async function recover(
  { client, logger, requestId, snapshot }: Transaction,
  parameter: string,
  error: unknown,
): Promise<Problem> {
  const rebuilding = isMissingColumn(error) ? snapshot.tables.lacking : error;
  if (rebuilding instanceof TableRebuilding) {
    await client.query(AFTER_FAILURE);
    return rebuildingProblem(client, rebuilding);
  }
  const isLate = isCanceled(error);
  const level = isUnavailable(error) && !isLate ? 'warn' : 'error'; // an unreachable database is not a bug
  logger[level]({ requestId, parameter, err: error }, 'an answer failed');
  await client.query(AFTER_FAILURE);
  return isLate ? outOfTime() : new Problem('INTERNAL', FAILED);
}
