import { Problem, RebuildingProblem } from '@ledgerline/contracts/errors/error-codes';
import type { Pause } from '@ledgerline/domain/query/sorted-places';
import { isCanceled, isMissingColumn, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { rebuildingProblem, TableRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { forbidden } from '../../http/problems';
import { RequestCounts } from '../session-columns/request-counts';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { ResponseSizeLimit } from './response-size-limit';
import { checkSupported } from './answer';
import { answerParameter, contextsOf, countedTypes, type ParameterContexts } from './answer-parameter';
import { checkMinSamples } from './check-filters';
import { outOfTime } from './deadline';
import { filterNotes } from './filter-notes';
import { lookUpFilters, type RequestFilter } from './filters';
import { metaOf, PROBLEM, TOTAL, type ParameterResult, type RequestAnswer } from './response';
import { AFTER_FAILURE, type SnapshotReader } from './snapshot';

/** The transaction that requests are answered in. */
interface Transaction extends SnapshotReader {
  readonly logger: Logger;
  readonly requestId: string | undefined;
}

/** The same for one request, of which all types share what is counted. */
interface RequestTransaction extends Transaction {
  readonly counts: RequestCounts;
  /** Shared by all requests of the body. */
  readonly budget: ResponseSizeLimit;
}

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** All filters are looked up first: their failure fails all requests, a failure of a query only its own entry. */
export async function answerRequests(
  requests: readonly QueryRequest[],
  transaction: Transaction,
  notes: readonly string[],
): Promise<RequestAnswer[]> {
  const { client, snapshot, deadline } = transaction;
  const filtered: [QueryRequest, readonly RequestFilter[]][] = [];
  for (const request of requests) {
    const lookUp = () => lookUpFilters(client, request, snapshot);
    filtered.push([request, request.filters.length === 0 ? [] : await deadline.within(client, lookUp)]);
  }
  const budget = new ResponseSizeLimit();
  const [answered, pause]: [Answered[], Pause] = [[], yieldToEventLoop()];
  for (const [request, filters] of filtered) {
    const data: ParameterResult[] = [];
    const asked = request.parameters.map((parameter) => askedParameter(parameter, request, filters, transaction));
    const counted = asked.flatMap(({ parameter: { type }, contexts }) =>
      'failure' in contexts ? [] : countedTypes(type, contexts),
    );
    const counts = new RequestCounts(transaction, counted);
    for (const parameter of asked) {
      data.push(await entryFor(parameter, { ...transaction, counts, budget }));
      await pause();
    }
    answered.push({ request, filters, data });
  }
  const answers: RequestAnswer[] = [];
  for (const each of answered) answers.push(await withMeta(each, transaction, notes));
  return answers;
}

interface Answered {
  readonly request: QueryRequest;
  readonly filters: readonly RequestFilter[];
  readonly data: readonly ParameterResult[];
}

async function withMeta(
  { request, filters, data }: Answered,
  transaction: Transaction,
  notes: readonly string[],
): Promise<RequestAnswer> {
  // an entry that does not know a filter fails, so whatever succeeded has applied all of them
  const applied = data.some(({ success }) => success) ? filters.length : 0;
  const unmatched = await filterNotes(request, filters, data, transaction).catch(async (error: unknown) => {
    transaction.signal.throwIfAborted();
    await recover(transaction, 'notes on filters', error); // logged: the answer is whole without them
    return [];
  });
  const snapshot = { ...transaction.snapshot, lagMs: await transaction.snapshot.lagMs };
  const meta = metaOf(request, snapshot, applied, [...notes, ...unmatched], data);
  return { success: true, queryId: request.id, data, meta };
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
    if (request.subject.publicOnly && !parameter.type.publicAccess) throw forbidden();
    checkSupported(parameter, request);
    checkMinSamples(parameter);
    return { parameter, contexts: contextsOf(parameter, request, filters, snapshot) };
  } catch (failure) {
    return { parameter, contexts: { failure } };
  }
}

async function entryFor(
  { parameter: { type, id }, contexts }: AskedParameter,
  transaction: RequestTransaction,
): Promise<ParameterResult> {
  const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
  try {
    if ('failure' in contexts) throw contexts.failure;
    const answer = () => answerParameter(type, contexts, transaction);
    const { rows, total } = await traced(`answer ${type.name}`, {}, answer);
    await transaction.budget.take(rows);
    return { ...named, success: true, data: rows, ...(total === undefined ? {} : { [TOTAL]: total }) };
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
