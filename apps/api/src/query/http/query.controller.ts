import { Body, Controller, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Budget, CurrentCaller, Public, Requires } from '../../http/route';
import { AskQuestions, type QueryAnswer } from '../request/ask';
import { asCsv, wantsCsv } from './csv-answer';
import { describedTypes } from './described-types';
import { ApiQuestion, ApiQueryTypes, ApiWebsites } from './query-schemas';
import { ListReadableWebsites, type ReadableWebsites } from './readable-websites';

const WHO_MAY_ASK =
  'Public types of public websites need no credentials. Everything else is for keys with `read:data` (links: with global access) and members of the organization.';

@ApiTags('Query')
@Controller('v1/query')
export class QueryController {
  private readonly types = describedTypes();

  constructor(private readonly queries: QueryBus) {}

  @Get('types')
  @ApiOperation({ summary: 'Every query type with its fields and filters' })
  @ApiQueryTypes()
  @Public()
  listTypes(): ReturnType<typeof describedTypes> {
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
  @ApiOperation({ summary: 'Query one website or link', description: WHO_MAY_ASK })
  @ApiQuestion()
  @HttpCode(200)
  @Public()
  @Budget('query')
  async ask(
    @Query() { website_id: websiteId, link_id: linkId, timezone }: Record<string, unknown>,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueryAnswer | string> {
    const asked = { caller, websiteId, linkId, timezone, minPosition: headers['x-min-position'], body };
    const answer = await this.queries.execute(new AskQuestions(asked));
    if (!wantsCsv(headers.accept)) return answer;
    const csv = asCsv(answer);
    void reply.type('text/csv; charset=utf-8');
    return csv;
  }
}
