import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { type Caller, may } from '@ledgerline/domain/access/caller';
import { invalid, notFound } from '../../http/problems';
import { assertMay } from '../../http/route';
import { LinksOfTags } from '../../links/list-links.query';
import { Tags } from '../../links/tags';
import { MAX_TARGETS, OverviewRequestDto, parseRequest } from '../request/query-request.dto';
import { ResponseSizeLimit } from '../session-columns/memory-budget';
import { SessionCounter } from '../session-columns/session-counter';
import { QueryDeadline } from '../snapshot/request-lifetime';
import { QueryRunner, RunQuery } from './query-runner';
import { requestAnswer, type RequestAnswer } from './response';

export interface OverviewResponse {
  readonly success: true;
  /** In the order of the ids. */
  readonly results: readonly OverviewResult[];
}

type OverviewResult = { readonly id: string } & Pick<RequestAnswer, 'data' | 'meta'>;

/** Asks one request of several websites, links or monitors. */
export class RunOverview extends Query<OverviewResponse> {
  constructor(
    readonly caller: Caller,
    /** The body of the request, of any form. */
    readonly body: unknown,
    /** Aborted when the client goes away. */
    readonly signal: AbortSignal,
    readonly requestId?: string,
  ) {
    super();
  }
}

/** So many are answered at once: an overview leaves connections to other questions. */
const AT_ONCE = 4;

/** Answers each as `POST /v1/query` does, within the time and the size of one response. */
@QueryHandler(RunOverview)
export class OverviewRunner implements IQueryHandler<RunOverview> {
  constructor(
    private readonly queries: QueryRunner,
    private readonly counter: SessionCounter,
    private readonly tags: Tags,
    private readonly links: LinksOfTags,
  ) {}

  /** @throws Problem VALIDATION_ERROR with every wrong field but those of definitions, which fail their entries */
  async execute({ caller, body: sent, signal, requestId }: RunOverview): Promise<OverviewResponse> {
    const { dto } = parseRequest(OverviewRequestDto, sent);
    const { about } = dto;
    const ids = await this.idsOf(dto, caller);
    const { about: _about, ids: _ids, tagId: _tagId, ...body } = sent as OverviewRequestDto; // it has all that is needed
    const now = Date.now();
    const deadline = new QueryDeadline();
    const budget = new ResponseSizeLimit(this.counter.memory);
    const failed = new AbortController();
    const answer = async (id: string): Promise<OverviewResult> => {
      const ended = AbortSignal.any([signal, failed.signal]); // each its own, as an answer listens many times
      const params = { [`${about}_id`]: id };
      const shared = { now, deadline, budget };
      const query = new RunQuery({ caller, params, body, signal: ended, requestId, ...shared });
      const [first] = await this.queries.execute(query);
      if (!first) throw new Error('A request has an answer.');
      const { data, meta } = requestAnswer(first);
      return { id, data, meta };
    };
    const waiting = [...ids.entries()];
    const results: OverviewResult[] = [];
    const inTurn = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await answer(next[1]);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    } finally {
      waiting.length = 0;
      budget.release();
      failed.abort(); // of one that fails, the others need no answer
    }
    return { success: true, results };
  }

  /** @throws Problem VALIDATION_ERROR for a tag of more links than are answered, or beside ids */
  private async idsOf({ about, ids, tagId }: OverviewRequestDto, caller: Caller): Promise<readonly string[]> {
    if (tagId === undefined) return ids ?? [];
    if (about !== 'link' || ids) throw wrongTag('Belongs to links, in place of ids.');
    const tag = await this.tags.named(tagId);
    if (!tag || !may(caller, 'tags:read', tag)) throw notFound('Tag');
    assertMay(caller, 'links:read', tag);
    const found = await this.links.find(tag, MAX_TARGETS);
    if (!found) throw wrongTag(`Must be a tag of at most ${MAX_TARGETS} links; list them page by page.`);
    return found.ids;
  }
}

const wrongTag = (message: string) => invalid([{ field: 'tagId', message }]);
