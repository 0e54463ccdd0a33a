import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { readTransaction } from '@ledgerline/platform/database/pool';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { currentRequestId } from '@ledgerline/platform/http/request-id';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { Pool, PoolClient } from 'pg';
import { readPosition } from '../../http/log-position';
import { forbidden } from '../../http/problems';
import { LOGGER, POOL } from '../../tokens';
import type { ValueFilter } from '../query-type';
import { readRequests, type QueryParameter, type QueryRequest } from '../request/read-requests';
import { findSubject } from '../request/subject';
import { answer, checkSupported, contextOf } from './answer';
import { Deadline, isOutOfTime, outOfTime } from './deadline';
import { lookUpFilters } from './filters';
import { isProjected, NOT_REACHED } from './min-position';
import { metaOf, PROBLEM, type Entry, type QueryResponse, type RequestAnswer } from './response';
import { AFTER_FAILURE, beginSnapshot, groupOf, readSnapshot, type Constants, type Snapshot } from './snapshot';

/** Queries the website or link named by the query string `params`. */
export class RunQuery extends Query<QueryResponse> {
  constructor(
    readonly caller: Caller,
    readonly params: Readonly<Record<string, unknown>>,
    readonly body: unknown,
    /** A log position that the answer should include; waited for a short time. */
    readonly minPosition?: string,
  ) {
    super();
  }
}

/** The transaction that requests are answered in. */
interface Transaction {
  readonly client: PoolClient;
  readonly snapshot: Snapshot;
  readonly deadline: Deadline;
}

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** Answers a request or a batch from one snapshot of the read models, with an entry for every parameter. */
@QueryHandler(RunQuery)
export class QueryRunner implements IQueryHandler<RunQuery> {
  private readonly constants: Constants = {};

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  async execute(query: RunQuery, now = Date.now(), deadline = new Deadline()): Promise<QueryResponse> {
    const { caller, params, body, minPosition } = query;
    const position = readPosition(minPosition);
    // the guard of every route has waited for it
    const isDecided = position.decided === undefined || (await this.live.hasReached(position.decided, 0));
    const subject = findSubject(caller, params, this.registry);
    const requests = readRequests(body, params['timezone'], subject, now);
    const notes = isDecided && (await isProjected(position, this.pool, groupOf(subject.about))) ? [] : [NOT_REACHED];
    const answers = await readTransaction(this.pool, beginSnapshot(deadline.left()), async (client) => {
      const snapshot = await readSnapshot(client, subject, now, this.constants);
      return this.answersTo(requests, { client, snapshot, deadline }, notes);
    });
    const [only] = answers;
    if (!Array.isArray(body) && only) return only;
    return { success: true, batch: true, results: answers.map(({ queryId, data, meta }) => ({ queryId, data, meta })) };
  }

  /** All filters are looked up first: their failure fails the request, a failure of a query only its own entry. */
  private async answersTo(
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
    const answers: RequestAnswer[] = [];
    for (const [request, filters] of filtered) {
      const data: Entry[] = [];
      for (const parameter of request.parameters) {
        data.push(await this.entryFor(parameter, request, filters, transaction));
      }
      // an entry that does not know a filter fails, so whatever succeeded has applied all of them
      const applied = data.some(({ success }) => success) ? filters.length : 0;
      const meta = metaOf(request, snapshot, applied, notes);
      answers.push({ success: true, queryId: request.id, data, meta });
    }
    return answers;
  }

  private async entryFor(
    parameter: QueryParameter,
    request: QueryRequest,
    filters: readonly ValueFilter[],
    { client, snapshot, deadline }: Transaction,
  ): Promise<Entry> {
    const { type, id } = parameter;
    const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
    try {
      if (request.subject.publicOnly && !type.publicAccess) throw forbidden();
      checkSupported(type, request);
      const context = contextOf(parameter, request, filters, snapshot);
      const data = await deadline.within(client, () => answer(client, type, context));
      return { ...named, success: true, data };
    } catch (error) {
      const problem = error instanceof Problem ? error : await this.recover(client, type.name, error);
      return { ...named, success: false, error: problem.message, data: [], [PROBLEM]: problem };
    }
  }

  /** Makes the transaction usable again after an unexpected failure, whose cause is only logged. */
  private async recover(client: PoolClient, parameter: string, error: unknown): Promise<Problem> {
    const isLate = isOutOfTime(error);
    const level = isUnavailable(error) && !isLate ? 'warn' : 'error'; // an unreachable database is not a bug
    this.logger[level]({ requestId: currentRequestId(), parameter, err: error }, 'an answer failed');
    await client.query(AFTER_FAILURE);
    return isLate ? outOfTime() : new Problem('INTERNAL', FAILED);
  }
}
