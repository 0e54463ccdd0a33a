import type { Caller } from '@ledgerline/domain/access/caller';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { AwaitedPosition } from '../../http/log-position';
import { LOGGER } from '../../tokens';
import { QueryTargets } from '../request/query-target';
import { readRequests } from '../request/read-requests';
import { AnswerCache, Audience } from './answer-cache';
import { answerRequests } from './answer-requests';
import { NOT_REACHED, ProjectedPositions } from './projected-positions';
import { PROBLEM, type QueryResponse, type RequestAnswer } from './response';
import { Deadline, groupOf, readSnapshot } from './snapshot';
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
    private readonly cache: AnswerCache,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async execute(query: RunQuery, now = Date.now(), deadline = new Deadline()): Promise<QueryResponse> {
    const { caller, params, body, minPosition, signal, requestId, isCsv } = query;
    const subject = await this.subjects.find(caller, params);
    const requests = readRequests(body, params['timezone'], subject, { now, isCsv });
    const isReached = !minPosition || (await this.positions.include(minPosition, groupOf(subject.about), subject.id));
    const notes = isReached ? [] : [NOT_REACHED];
    const audience = new Audience(signal);
    const asking = { audience, deadline, signal: audience.signal };
    const answers = await this.questions.read({ caller, subject: subject.id, ...asking }, async (on) => {
      const snapshot = await readSnapshot(on, subject, now);
      const transaction = { ...on, ...asking, snapshot, cache: this.cache, logger: this.logger, requestId };
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
