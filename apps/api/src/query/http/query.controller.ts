import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Module, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type AwaitedPosition, MinPosition } from '../../http/log-position';
import { Budget, CurrentCaller, PreferredType, Public, Requires, clientDisconnectSignal } from '../../http/route';
import { LinksModule } from '../../links/links.controller';
import { TagsModule } from '../../links/tags';
import { type OverviewResponse, OverviewRunner, RunOverview } from '../execution/overview';
import { ProjectedPositions } from '../execution/projected-positions';
import { QueryRunner, RunQuery } from '../execution/query-runner';
import { type QueryResponse, responseTo } from '../execution/response';
import { FindHistoryHandler } from '../history/find-history.query';
import { Histories } from '../history/history';
import { QueryTargets } from '../request/query-targets';
import { SessionCounter } from '../session-columns/session-counter';
import { AnswerCache } from '../snapshot/answer-cache';
import { KeptMoments } from '../snapshot/kept-moments';
import { SnapshotRunner } from '../snapshot/snapshot';
import { asCsv } from './csv-answer';
import { ApiQueryTypes, describeTypes } from './describe-types';
import { ApiAsk, ApiOverview, ApiWebsites } from './query-schemas';
import { ListReadableWebsites, ListReadableWebsitesHandler, type ReadableWebsites } from './readable-websites';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

const WHO_MAY_QUERY =
  'Public types of public websites need no credentials. Everything else is for keys with `read:data` (links: with global access) and members of the organization.';

const OVERVIEW =
  'Answers the request for each of up to 100 ids as `POST /v1/query` does, in their order. Without `timezone`, days are ' +
  'those of each website (links and monitors: UTC). It is refused as a whole where one of them may not be read.';

@ApiTags('Query')
@Controller('v1/query')
class QueryController {
  private readonly types = describeTypes();

  constructor(
    private readonly queries: QueryBus,
    private readonly targets: QueryTargets,
  ) {}

  @Get('types')
  @ApiOperation({ summary: 'Every query type with its fields and filters' })
  @ApiQueryTypes()
  @Public()
  listTypes(): ReturnType<typeof describeTypes> {
    return this.types;
  }

  @Get('websites')
  @ApiOperation({ summary: 'The websites the caller may query' })
  @ApiWebsites()
  @Requires('read:data')
  listWebsites(@CurrentCaller() caller: Caller): Promise<ReadableWebsites> {
    return this.queries.execute(new ListReadableWebsites(caller));
  }

  /** The route is public because queries of public websites need no credentials. */
  @Post()
  @ApiOperation({ summary: 'Query one website, link or tag', description: WHO_MAY_QUERY })
  @ApiAsk()
  @HttpCode(200)
  @Public()
  @Budget('query')
  async ask(
    @Query() params: Record<string, unknown>,
    @Req() { id }: Pick<FastifyRequest, 'id'>,
    @PreferredType([JSON_TYPE, CSV_TYPE]) mediaType: string,
    @Body() body: unknown,
    @MinPosition() minPosition: AwaitedPosition | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueryResponse | StreamableFile> {
    const isCsv = mediaType === CSV_TYPE;
    const target = isCsv ? await this.targets.find(caller, params, minPosition) : undefined;
    const signal = clientDisconnectSignal(reply);
    const query = new RunQuery({ caller, params, target, body, minPosition, signal, requestId: id, isCsv });
    const answers = await this.queries.execute(query);
    if (!target) return responseTo(body, answers);
    const csv = asCsv(answers, target.name);
    void reply.headers(csv.headers);
    return new StreamableFile(Readable.from(csv.lines), { type: `${CSV_TYPE}; charset=utf-8` });
  }

  @Post('overview')
  @ApiOperation({ summary: 'Ask the same of several websites, links or monitors', description: OVERVIEW })
  @ApiOverview()
  @HttpCode(200)
  @Requires('read:data')
  @Budget('query')
  overview(
    @Req() { id }: Pick<FastifyRequest, 'id'>,
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OverviewResponse> {
    return this.queries.execute(new RunOverview(caller, body, clientDisconnectSignal(reply), id));
  }
}

/** The queries over the read models. */
@Module({
  imports: [LinksModule, TagsModule],
  controllers: [QueryController],
  providers: [
    QueryRunner,
    OverviewRunner,
    SnapshotRunner,
    KeptMoments,
    SessionCounter,
    Histories,
    ProjectedPositions,
    AnswerCache,
    QueryTargets,
    ListReadableWebsitesHandler,
    FindHistoryHandler,
  ],
  exports: [KeptMoments, QueryRunner, QueryTargets, SessionCounter, SnapshotRunner],
})
export class QueryModule {}
