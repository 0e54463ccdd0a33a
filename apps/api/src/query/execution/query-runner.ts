import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { addDays } from '@ledgerline/domain/time/zones';
import { isCanceled, isMissingColumn, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { rebuildingProblem, TableRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import { withSpan } from '@ledgerline/platform/tracing/tracing';
import type { AwaitedPosition } from '../../http/log-position';
import { LOGGER } from '../../tokens';
import { QueryTargets, queryTargetIds, type QueryTarget } from '../request/query-targets';
import { momentNameIn, readRequests, type QueryRequest } from '../request/read-requests';
import { ResponseSizeLimit } from '../session-columns/memory-budget';
import { AnswerCache, answerKey, isSteady, type Computed } from '../snapshot/answer-cache';
import { KeptMoments } from '../snapshot/kept-moments';
import { Audience, outOfTime, QueryDeadline } from '../snapshot/request-lifetime';
import { projectionGroupFor, AFTER_FAILURE, SnapshotRunner, type QueryMeans } from '../snapshot/snapshot';
import { summaryMetrics } from '../types/website/totals.query-type';
import { answerParameter, type PlannedParameter, planParameter, tasksOf } from './answer';
import { type CountNew, expiredNotes, refuseExpired } from './expired';
import { filterNotes } from './filter-notes';
import { isEmpty, lookUpFilters, type RequestFilter } from './filters';
import { NOT_REACHED, ProjectedPositions } from './projected-positions';
import { type Execution, RequestAggregates } from './request-aggregates';
import { type AnsweredRequest, metaOf, type ParameterResult } from './response';

interface SentQuery {
  readonly caller: Caller;
  /** The query string. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The target that it is about, in place of what `params` name. */
  readonly target?: QueryTarget | undefined;
  readonly body: unknown;
  /** A log position that the answer should include; waited for a short time. */
  readonly minPosition?: AwaitedPosition | undefined;
  /** Aborted when the client goes away. */
  readonly signal?: AbortSignal;
  readonly requestId?: string | undefined;
  /** The rows of one type are wanted, and without a limit all of them. */
  readonly isCsv?: boolean;
  /** Epoch ms. */
  readonly now?: number;
  readonly deadline?: QueryDeadline;
  /** The budget of the response, where others share it, who release it. */
  readonly budget?: ResponseSizeLimit;
}

/** Answers the requests of a body, in their order. */
export class RunQuery extends Query<readonly AnsweredRequest[]> {
  constructor(readonly sent: SentQuery) {
    super();
  }
}

/** Answers a request or a batch from one snapshot of the read models, with an entry for every parameter. */
@QueryHandler(RunQuery)
export class QueryRunner implements IQueryHandler<RunQuery> {
  constructor(
    private readonly snapshots: SnapshotRunner,
    private readonly positions: ProjectedPositions,
    private readonly targets: QueryTargets,
    private readonly cache: AnswerCache,
    private readonly moments: KeptMoments,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute({ sent }: RunQuery): Promise<readonly AnsweredRequest[]> {
    const { caller, params = {}, body, minPosition, requestId, isCsv = false, budget } = sent;
    const { deadline = new QueryDeadline(), signal = new AbortController().signal } = sent;
    const snapshot = momentNameIn(body);
    const moment = snapshot === undefined ? undefined : await this.moments.find(snapshot);
    const { until: now = sent.now ?? Date.now() } = moment ?? {};
    const target = sent.target ?? (await this.targets.find(caller, params, minPosition));
    const definitions = this.targets.definitionsOf(target);
    const requests = readRequests(body, params['timezone'], target, { now, isCsv, definitions });
    const notes = moment || (await this.isReached(target, minPosition)) ? [] : [NOT_REACHED];
    const task = { caller, target, moment, now, deadline, audience: new Audience(signal), requestId };
    const answers = await this.snapshots.read(task, (run) => this.answer(requests, run, notes, budget));
    refuseUnanswered(answers);
    return answers;
  }

  /** @throws ReadStoreUnavailable */
  private async isReached(target: QueryTarget, awaited: AwaitedPosition | undefined): Promise<boolean> {
    if (!awaited) return true;
    const include = (id: string) => this.positions.include(awaited, projectionGroupFor(target.about), id);
    const included = await Promise.all(queryTargetIds(target).map(include));
    return included.every(Boolean) && target.tag?.isCurrent !== false;
  }

  /** Requests are answered one after the other; the failure of a look-up of filters fails all, that of a query only its own entry. */
  async answer(
    requests: readonly QueryRequest[],
    run: QueryMeans,
    notes: readonly string[],
    given?: ResponseSizeLimit,
  ): Promise<AnsweredRequest[]> {
    const budget = given ?? new ResponseSizeLimit(run.counter.memory);
    const answers: AnsweredRequest[] = [];
    try {
      for (const request of requests) answers.push(await this.answerRequest(request, run, notes, budget));
    } finally {
      if (!given) budget.release();
    }
    return answers;
  }

  private async answerRequest(
    request: QueryRequest,
    run: QueryMeans,
    notes: readonly string[],
    budget: ResponseSizeLimit,
  ): Promise<AnsweredRequest> {
    const filters = await this.findFilters(request, run);
    const planned = request.parameters.map((parameter) => planParameter(parameter, request, filters, run.snapshot));
    const cacheable = planned.filter(({ parameter: { type, options } }) => isSteady(type, options, request.segment));
    const others = planned.filter((parameter) => !cacheable.includes(parameter));
    const parameters = cacheable.map(({ parameter }) => parameter);
    const key = answerKey('entries', { ...request, parameters }, run.snapshot);
    let execution: Execution | undefined;
    const compute = async (): Promise<Computed<readonly ParameterResult[]>> => {
      execution = withAggregates(run, planned);
      const before = budget.rest;
      const value = await this.resultsOf(cacheable, execution, budget);
      return { value, bytes: before - budget.rest, isCacheable: value.every(({ failure }) => !failure) };
    };
    const fits = (bytes: number) => budget.takeBytes(bytes);
    const cached = cacheable.length === 0 ? [] : await this.cache.find(key, run, compute, fits);
    const uncached = await this.resultsOf(others, execution ?? withAggregates(run, others), budget);
    const resultOf = (one: PlannedParameter) => cached[cacheable.indexOf(one)] ?? uncached[others.indexOf(one)] ?? [];
    const results = planned.flatMap(resultOf);
    const countNew: CountNew = (since, until) => this.countNew(request, run, budget, { since, until });
    const expired = await expiredNotes(planned, countNew);
    const unmatched = await this.findNotes(request, filters, results, run);
    return {
      request,
      results,
      meta: metaOf(request, run.snapshot, [...notes, ...expired, ...unmatched], results),
    };
  }

  /** Visitors of ten years up to then, without those of the days before. */
  private async countNew(
    request: QueryRequest,
    run: QueryMeans,
    budget: ResponseSizeLimit,
    { since, until }: { readonly since: string; readonly until: string },
  ): Promise<number | undefined> {
    const [parameter] = request.parameters;
    if (!parameter) return undefined;
    if (since > until) return 0;
    const startDate = addDays(since, -LONGEST_DAYS);
    const plain = { ...request, filters: [], segment: null, page: 1, sort: null };
    const of = { ...parameter, type: summaryMetrics, earlier: null, options: {}, from: undefined, to: undefined };
    const planned = [until, addDays(since, -1)].map((endDate) =>
      planParameter({ ...of, startDate, endDate }, plain, [], run.snapshot),
    );
    const [all, before] = await this.resultsOf(planned, withAggregates(run, planned), budget);
    const [now, then] = [all, before].map((result) => result?.rows[0]?.['unique_visitors']);
    return typeof now === 'number' && typeof then === 'number' ? now - then : undefined;
  }

  /** Returns what the filters of a request match. */
  private async findFilters(request: QueryRequest, run: QueryMeans): Promise<readonly RequestFilter[]> {
    const filters = [...request.filters, ...(request.segment?.filters ?? [])];
    if (filters.length === 0) return [];
    const { client, snapshot } = run;
    const key = answerKey('filters', { ...request, parameters: [] }, snapshot);
    return this.cache.find(key, run, () =>
      withSize(run.deadline.within(client, () => lookUpFilters(client, { ...request, filters }, snapshot))),
    );
  }

  /** Notes on the filters of an answer that is empty. */
  private async findNotes(
    request: QueryRequest,
    filters: readonly RequestFilter[],
    results: readonly ParameterResult[],
    run: QueryMeans,
  ): Promise<readonly string[]> {
    if (filters.length === 0 || !isEmpty(request, results)) return [];
    const key = answerKey('notes', request, run.snapshot);
    const notes = this.cache.find(key, run, () => withSize(filterNotes(request, filters, run)));
    return notes.catch(async (error: unknown) => {
      run.audience.signal.throwIfAborted();
      await this.recover('notes on filters', error, run); // logged: the answer is whole without them
      return [];
    });
  }

  private async resultsOf(
    planned: readonly PlannedParameter[],
    execution: Execution,
    budget: ResponseSizeLimit,
  ): Promise<readonly ParameterResult[]> {
    const pause = yieldToEventLoop();
    const results: ParameterResult[] = [];
    for (const each of planned) {
      results.push(await this.resultOf(each, execution, budget));
      await pause();
    }
    return results;
  }

  private async resultOf(
    planned: PlannedParameter,
    execution: Execution,
    budget: ResponseSizeLimit,
  ): Promise<ParameterResult> {
    const { type } = planned.parameter;
    try {
      if (planned.failure) throw planned.failure;
      refuseExpired(planned);
      return await withSpan(`answer ${type.name}`, {}, () => answerParameter(planned, execution, budget));
    } catch (error) {
      execution.audience.signal.throwIfAborted();
      return { rows: [], failure: error instanceof Problem ? error : await this.recover(type.name, error, execution) };
    }
  }

  /** Makes the transaction usable again after an unexpected failure, whose cause is only logged. */
  private async recover(
    parameter: string,
    error: unknown,
    { client, requestId, snapshot }: QueryMeans,
  ): Promise<Problem> {
    const rebuilding = isMissingColumn(error) ? snapshot.tables.lacking : error;
    if (rebuilding instanceof TableRebuilding) {
      await client.query(AFTER_FAILURE);
      return rebuildingProblem(client, rebuilding);
    }
    const isLate = isCanceled(error);
    const level = isUnavailable(error) && !isLate ? 'warn' : 'error'; // an unreachable database is not a bug
    this.logger[level]({ requestId, parameter, err: error }, 'an answer failed');
    await client.query(AFTER_FAILURE);
    return isLate ? outOfTime() : new Problem('INTERNAL', FAILED);
  }
}

/** Within the most days of a range. */
const LONGEST_DAYS = 3_000;

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** With what is aggregated for all parameters together. */
const withAggregates = (run: QueryMeans, planned: readonly PlannedParameter[]): Execution => ({
  ...run,
  aggregates: new RequestAggregates(run, planned.flatMap(tasksOf)),
});

/** A short part of an answer, which the cache keeps. */
async function withSize<T>(computing: Promise<T>): Promise<Computed<T>> {
  const value = await computing;
  return { value, bytes: JSON.stringify(value).length, isCacheable: true };
}

/** @throws Problem SERVICE_UNAVAILABLE when the time was over before anything was answered */
function refuseUnanswered(answers: readonly AnsweredRequest[]): void {
  const failures = answers.flatMap(({ results }) => results).map(({ failure }) => failure);
  const [first] = failures;
  if (first && failures.every((failure) => failure?.code === 'SERVICE_UNAVAILABLE')) throw first;
}
