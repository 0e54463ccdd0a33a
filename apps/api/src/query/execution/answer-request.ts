import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Pause } from '@ledgerline/domain/query/sorted-places';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { PoolClient } from 'pg';
import { forbidden } from '../../http/problems';
import { RequestSessions } from '../matching/request-sessions';
import { EVERY_ROW, type ValueFilter } from '../query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { AnswerBudget } from './answer-budget';
import { checkSupported, contextOf, findRows, type Found, type Origin } from './answer';
import { CHANGE, withComparison } from './comparison';
import { isOutOfTime, outOfTime, type Deadline } from './deadline';
import { lookUpFilters } from './filters';
import { pageOfRows } from './page-of-rows';
import { metaOf, PROBLEM, TOTAL, type Entry, type RequestAnswer } from './response';
import { roundEstimates } from './round-estimates';
import { AFTER_FAILURE, type Snapshot } from './snapshot';

/** The transaction that requests are answered in. */
export interface Transaction {
  readonly client: PoolClient;
  readonly snapshot: Snapshot;
  readonly deadline: Deadline;
  readonly logger: Logger;
  readonly requestId: string | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** The same for one request, of which all types share what its filters select. */
interface RequestTransaction extends Transaction {
  readonly sessions: RequestSessions;
  /** Shared by all requests of the body. */
  readonly budget: AnswerBudget;
}

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** All filters are looked up first: their failure fails all requests, a failure of a query only its own entry. */
export async function answerRequests(
  requests: readonly QueryRequest[],
  transaction: Transaction,
  notes: readonly string[],
): Promise<RequestAnswer[]> {
  const { client, snapshot, deadline } = transaction;
  const filtered: [QueryRequest, readonly ValueFilter[]][] = [];
  for (const request of requests) {
    const lookUp = () => lookUpFilters(client, request, snapshot);
    filtered.push([request, request.filters.length === 0 ? [] : await deadline.within(client, lookUp)]);
  }
  const budget = new AnswerBudget();
  const [answers, pause]: [RequestAnswer[], Pause] = [[], yieldToEventLoop()];
  for (const [request, filters] of filtered) {
    const data: Entry[] = [];
    const types = request.parameters.map(({ type }) => type);
    const sessions = new RequestSessions(client, types);
    for (const parameter of request.parameters) {
      data.push(await entryFor(parameter, request, filters, { ...transaction, sessions, budget }));
      await pause();
    }
    // an entry that does not know a filter fails, so whatever succeeded has applied all of them
    const applied = data.some(({ success }) => success) ? filters.length : 0;
    const meta = metaOf(request, snapshot, applied, notes, data);
    answers.push({ success: true, queryId: request.id, data, meta });
  }
  return answers;
}

async function entryFor(
  parameter: QueryParameter,
  request: QueryRequest,
  filters: readonly ValueFilter[],
  transaction: RequestTransaction,
): Promise<Entry> {
  const { type, id } = parameter;
  const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
  try {
    if (request.subject.publicOnly && !type.publicAccess) throw forbidden();
    checkSupported(parameter, request);
    const { budget, deadline } = transaction;
    const bounded = { ...transaction, bounds: { budget, deadline } };
    const { rows, total } = await answerParameter(parameter, request, filters, bounded);
    await budget.take(rows);
    return { ...named, success: true, data: rows, ...(total === undefined ? {} : { [TOTAL]: total }) };
  } catch (error) {
    transaction.signal.throwIfAborted();
    const problem = error instanceof Problem ? error : await recover(transaction, type.name, error);
    return { ...named, success: false, error: problem.message, data: [], [PROBLEM]: problem };
  }
}

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  parameter: Omit<QueryParameter, 'id' | 'notes'>,
  request: Parameters<typeof contextOf>[1],
  filters: readonly ValueFilter[],
  { client, snapshot, deadline, ...origin }: Pick<RequestTransaction, 'client' | 'snapshot' | 'deadline'> & Origin,
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

/** Makes the transaction usable again after an unexpected failure, whose cause is only logged. */
async function recover(
  { client, logger, requestId }: Transaction,
  parameter: string,
  error: unknown,
): Promise<Problem> {
  const isLate = isOutOfTime(error);
  const level = isUnavailable(error) && !isLate ? 'warn' : 'error'; // an unreachable database is not a bug
  logger[level]({ requestId, parameter, err: error }, 'an answer failed');
  await client.query(AFTER_FAILURE);
  return isLate ? outOfTime() : new Problem('INTERNAL', FAILED);
}
