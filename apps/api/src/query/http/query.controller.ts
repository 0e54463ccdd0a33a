import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MinPosition, type AwaitedPosition } from '../../http/log-position';
import { Budget, CurrentCaller, Public, Requires } from '../../http/route';
import { clientDisconnectSignal } from '../../http/client-disconnect-signal';
import { RunQuery } from '../execution/query-runner';
import type { QueryResponse } from '../execution/response';
import { asCsv, wantsCsv } from './csv';
import { ApiAsk, ApiQueryTypes, ApiWebsites } from './query-schemas';
import { describeTypes } from './describe-types';
import { ListReadableWebsites, type ReadableWebsites } from './readable-websites';

const WHO_MAY_QUERY =
  'Public types of public websites need no credentials. Everything else is for keys with `read:data` (links: with global access) and members of the organization.';

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
}
