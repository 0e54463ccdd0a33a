import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { AwaitedPosition } from '../../http/log-position';
import { LOGGER } from '../../tokens';
import { readRequests } from '../request/read-requests';
import { QueryTargets } from '../request/query-target';
import { answerRequests } from './answer-request';
import { Deadline } from './deadline';
import { NOT_REACHED, ProjectedPositions } from './projected-positions';
import { SnapshotRunner } from './snapshot-runner';
import { PROBLEM, type QueryResponse, type RequestAnswer } from './response';
import { groupOf, readSnapshot } from './snapshot';

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
    const { caller, params, body, minPosition, signal, requestId } = query;
    const subject = await this.subjects.find(caller, params);
    const requests = readRequests(body, params['timezone'], subject, now);
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
