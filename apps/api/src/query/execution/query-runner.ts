import { Problem, RebuildingProblem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { isCanceled, isMissingColumn, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { rebuildingProblem, TableRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AwaitedPosition } from '../../http/log-position';
import { forbidden } from '../../http/problems';
import { LOGGER } from '../../tokens';
import { QueryTargets } from '../request/query-target';
import { readRequests, type QueryParameter, type QueryRequest } from '../request/read-requests';
import { RequestCounts } from '../session-columns/request-counts';
import {
  answerParameter,
  answerWhole,
  checkSupported,
  contextsOf,
  countedTypes,
  type ParameterContexts,
} from './answer';
import { filterNotes } from './filter-notes';
import { lookUpFilters, type RequestFilter } from './filters';
import { NOT_REACHED, ProjectedPositions } from './projected-positions';
import {
  CUT,
  HIDDEN,
  metaOf,
  PROBLEM,
  ResponseSizeLimit,
  TOTAL,
  type ParameterResult,
  type QueryResponse,
  type RequestAnswer,
} from './response';
import { AFTER_FAILURE, Deadline, groupOf, outOfTime, readSnapshot, type SnapshotReader } from './snapshot';
import { SnapshotRunner } from './snapshot-runner';

/** Queries the website or link named by the query string `params`. */
export class RunQuery extends Query<QueryResponse> {
  constructor(
    readonly caller: Caller,
    readonly params: Readonly<Record<string, unknown>>,
    readonly body: unknown,
    /** A log position that the answer should include; waited for a short time. */
    readonly minPosition?: AwaitedPosition,
    /** Aborted when the client goes away. */
    readonly signal: AbortSignal = new AbortController().signal,
    readonly requestId?: string,
    /** The rows of one type are wanted, and without a limit all of them. */
    readonly isCsv = false,
  ) {
    super();
  }
}

/** Answers a request or a batch from one snapshot of the read models, with an entry for every parameter. */
@QueryHandler(RunQuery)
export class QueryRunner implements IQueryHandler<RunQuery> {
  constructor(
    private readonly questions: SnapshotRunner,
    private readonly positions: ProjectedPositions,
    private readonly subjects: QueryTargets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute(query: RunQuery, now = Date.now(), deadline = new Deadline()): Promise<QueryResponse> {
    const { caller, params, body, minPosition, signal, requestId, isCsv } = query;
    const subject = await this.subjects.find(caller, params);
    const requests = readRequests(body, params['timezone'], subject, { now, isCsv });
    const isReached = !minPosition || (await this.positions.include(minPosition, groupOf(subject.about), subject.id));
    const notes = isReached ? [] : [NOT_REACHED];
    const question = { caller, subject: subject.id, deadline, signal };
    const answers = await this.questions.read(question, async (on) => {
      const snapshot = await readSnapshot(on, subject, now);
      const transaction = { ...on, snapshot, deadline, signal, logger: this.logger, requestId };
      return answerRequests(requests, transaction, notes);
    });
    refuseUnanswered(answers);
    const [only] = answers;
    if (!Array.isArray(body) && only) return only;
    return { success: true, batch: true, results: answers.map(({ queryId, data, meta }) => ({ queryId, data, meta })) };
  }
}

/** @throws Problem SERVICE_UNAVAILABLE when the time was over before anything was answered */
function refuseUnanswered(answers: readonly RequestAnswer[]): void {
  const problems = answers.flatMap(({ data }) => data).map((entry) => (entry.success ? undefined : entry[PROBLEM]));
  const [first] = problems;
  if (first && problems.every((problem) => problem?.code === 'SERVICE_UNAVAILABLE')) throw first;
}

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
  const answered: Answered[] = [];
  const pause = yieldToEventLoop();
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
    if (request.subject.publicOnly && !parameter.type.publicAccess)
      throw forbidden({ needs: 'read:data', of: 'website' });
    checkSupported(parameter, request);
    return { parameter, contexts: contextsOf(parameter, request, filters, snapshot) };
  } catch (failure) {
    return { parameter, contexts: { failure } };
  }
}

async function entryFor(
  { parameter: { type, id, isWhole }, contexts }: AskedParameter,
  transaction: RequestTransaction,
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
