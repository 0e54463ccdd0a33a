import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MinPosition, type AwaitedPosition } from '../../http/log-position';
import { Budget, CurrentCaller, Public, Requires, clientDisconnectSignal } from '../../http/route';
import { RunOverview, type Overview } from '../execution/overview';
import { RunQuery } from '../execution/query-runner';
import type { QueryResponse } from '../execution/response';
import { asCsv, wantsCsv } from './csv';
import { OverviewRequestDto } from '../request/query-request.dto';
import { ApiAsk, ApiOverview, ApiQueryTypes, ApiWebsites } from './query-schemas';
import { describeTypes } from './describe-types';
import { ListReadableWebsites, type ReadableWebsites } from './readable-websites';

const WHO_MAY_QUERY =
  'Public types of public websites need no credentials. Everything else is for keys with `read:data` (links: with global access) and members of the organization.';

const OVERVIEW =
  'Answers the request for each of up to 100 ids as `POST /v1/query` does, in their order. Without `timezone`, days are ' +
  'those of each website (links and monitors: UTC). It is refused as a whole where one of them may not be read.';

@ApiTags('Query')
@Controller('v1/query')
export class QueryController {
  private readonly types = describeTypes();

  constructor(private readonly queries: QueryBus) {}

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
  @ApiOperation({ summary: 'Query one website or link', description: WHO_MAY_QUERY })
  @ApiAsk()
  @HttpCode(200)
  @Public()
  @Budget('query')
  async ask(
    @Query() params: Record<string, unknown>,
    @Req() { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
    @Body() body: unknown,
    @MinPosition() minPosition: AwaitedPosition | undefined,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueryResponse | StreamableFile> {
    const isCsv = wantsCsv(headers.accept);
    const asked = new RunQuery(caller, params, body, minPosition, clientDisconnectSignal(reply), id, isCsv);
    const response = await this.queries.execute(asked);
    if (!isCsv) return response;
    const csv = asCsv(response);
    void reply.headers(csv.headers);
    return new StreamableFile(Readable.from(csv.lines), { type: 'text/csv; charset=utf-8' });
  }

  @Post('overview')
  @ApiOperation({ summary: 'Ask the same of several websites, links or monitors', description: OVERVIEW })
  @ApiOverview()
  @HttpCode(200)
  @Requires('read:data')
  @Budget('query')
  overview(
    @Req() { id }: Pick<FastifyRequest, 'id'>,
    @Body() body: OverviewRequestDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Overview> {
    return this.queries.execute(new RunOverview(caller, body, clientDisconnectSignal(reply), id));
  }
}
