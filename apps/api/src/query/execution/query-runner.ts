import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import { Registry } from '@ledgerline/domain/registry/registry';
import { reading } from '@ledgerline/platform/database/pool';
import { isUnavailable } from '@ledgerline/platform/database/unavailable';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { Pool, PoolClient } from 'pg';
import { currentRequestId } from '@ledgerline/platform/http/request-id';
import { LOGGER, POOL } from '../../tokens';
import { answer, checkWishes } from './answer';
import { PROBLEM, type Entry, type Meta, type QueryAnswer, type QueryCall, type RequestAnswer } from '../request/ask';
import { Deadline, isOutOfTime, outOfTime } from './deadline';
import { inquiryAbout, questionFor, type Inquiry } from './inquiry';
import { NOT_REACHED, PATIENCE_MS, projected, readPosition } from './min-position';
import { readBody } from '../request/read-request';
import type { ResolvedParameter, ResolvedRequest } from '../request/resolve-request';
import { AFTER_FAILURE, beginSnapshot, snapshotFor, type Constants, type Snapshot } from './snapshot';
import { subjectOf, type Subject } from '../request/subject';

/** What all requests of a batch are answered from. */
interface Moment {
  readonly subject: Subject;
  readonly snapshot: Snapshot;
  /** Epoch ms. */
  readonly now: number;
  readonly notes: readonly string[];
  readonly deadline: Deadline;
}

const FAILED = 'This query type could not be answered; the cause is in the log under the request id.';

/** Answers a request or a batch from one snapshot of the read models, with an entry for every parameter. */
@Injectable()
export class QueryRunner {
  private readonly constants: Constants = {};

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  async run(asked: QueryCall, now = Date.now(), deadline = new Deadline()): Promise<QueryAnswer> {
    const wanted = readPosition(asked.minPosition);
    const known = wanted.decided === undefined || (await this.live.hasReached(wanted.decided, PATIENCE_MS));
    const subject = subjectOf(asked, this.registry);
    const { batch, requests } = readBody(asked, { about: subject.about, defaultZone: subject.zone, now });
    const group: Group = subject.about === 'website' ? 'websites' : 'links';
    const notes = known && (await projected(wanted, this.pool, group)) ? [] : [NOT_REACHED];
    const answers = await reading(this.pool, beginSnapshot(deadline.left()), async (on) => {
      const snapshot = await snapshotFor(on, subject, now, this.constants);
      return this.answersOf(on, requests, { subject, snapshot, now, notes, deadline });
    });
    const [only] = answers;
    if (!batch && only) return only;
    return { success: true, batch: true, results: answers.map(({ queryId, data, meta }) => ({ queryId, data, meta })) };
  }

  /** All filters are looked up before anything is answered: without them there is no entry that could fail alone. */
  private async answersOf(
    on: PoolClient,
    requests: readonly ResolvedRequest[],
    moment: Moment,
  ): Promise<RequestAnswer[]> {
    const inquiries: [ResolvedRequest, Inquiry][] = [];
    for (const request of requests) {
      const looking = () => inquiryAbout(on, moment.subject, moment.snapshot, request);
      const asksNothing = request.filters.length === 0;
      inquiries.push([request, await (asksNothing ? looking() : moment.deadline.within(on, looking))]);
    }
    const answers: RequestAnswer[] = [];
    for (const [request, inquiry] of inquiries) answers.push(await this.answerOne(on, request, inquiry, moment));
    return answers;
  }

  private async answerOne(
    on: PoolClient,
    request: ResolvedRequest,
    inquiry: Inquiry,
    moment: Moment,
  ): Promise<RequestAnswer> {
    const data: Entry[] = [];
    for (const one of request.parameters) data.push(await this.entryFor(on, one, { request, inquiry, moment }));
    return { success: true, queryId: request.id, data, meta: metaOf(request, inquiry, moment) };
  }

  private async entryFor(
    on: PoolClient,
    parameter: ResolvedParameter,
    { request, inquiry, moment }: { request: ResolvedRequest; inquiry: Inquiry; moment: Moment },
  ): Promise<Entry> {
    const { type, id, limited } = parameter;
    const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
    try {
      if (moment.subject.publicOnly && !type.publicAccess) throw new Problem('FORBIDDEN', 'Insufficient permissions');
      checkWishes(type, request.filters, request.sortBy);
      const question = questionFor(inquiry, parameter, request, { table: moment.snapshot.table, now: moment.now });
      const data = await moment.deadline.within(on, () => answer(on, type, question, { limited }));
      return { ...named, success: true, data };
    } catch (error) {
      const problem = error instanceof Problem ? error : await this.recovered(on, type.name, error);
      return { ...named, success: false, error: problem.message, data: [], [PROBLEM]: problem };
    }
  }

  /** Lets the snapshot answer again after something unexpected, of which only the log is told all. */
  private async recovered(on: PoolClient, parameter: string, error: unknown): Promise<Problem> {
    const outran = isOutOfTime(error);
    const level = isUnavailable(error) && !outran ? 'warn' : 'error'; // a database that went away is nobody's mistake
    this.logger[level]({ requestId: currentRequestId(), parameter, err: error }, 'an answer failed');
    await on.query(AFTER_FAILURE);
    return outran ? outOfTime() : new Problem('INTERNAL', FAILED);
  }
}

function metaOf(request: ResolvedRequest, { filters }: Inquiry, { subject, snapshot, notes }: Moment): Meta {
  return {
    parameters: request.parameters.map(({ type }) => type.name),
    total_parameters: request.parameters.length,
    page: request.page,
    limit: request.limit,
    filters_applied: filters.length,
    startDate: request.startDate,
    endDate: request.endDate,
    timezone: request.timezone,
    granularity: request.granularity,
    visitorIdentity: subject.visitorIdentity,
    asOf: snapshot.asOf,
    lagMs: snapshot.lagMs,
    notes: [...request.notes, ...notes],
  };
}
