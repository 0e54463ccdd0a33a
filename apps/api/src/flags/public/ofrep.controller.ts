import { createHash } from 'node:crypto';
import { applyDecorators, Body, Controller, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { text } from '../../http/json-schema';
import { invalid, notFound } from '../../http/problems';
import { Public } from '../../http/route';
import { OFREP_FAILURE } from './ofrep-failure';
import { contextOf, OFREP_FLAG, OFREP_FLAGS, ofrepFlag, OfrepRequestDto, type OfrepFlag } from './ofrep.dto';
import { PublicFlags } from './public-flags';

const CLIENT_ID = 'databuddy-client-id';

const failure = (status: number, description: string) =>
  ApiResponse({ status, description, content: { 'application/json': { schema: OFREP_FAILURE } } });

/** The website, in a header, as providers can set headers but not parameters; or in the query string. */
const ApiOfrep = () =>
  applyDecorators(
    ApiHeader({ name: CLIENT_ID, required: false, description: 'The id of the website' }),
    ApiQuery({ name: 'clientId', required: false, description: 'The same, without the header' }),
    failure(400, 'The request is malformed; `details` names every wrong field'),
  );

@ApiTags('Flags')
@Controller('public/v1/flags/ofrep/v1/evaluate/flags')
@Public()
export class OfrepController {
  constructor(private readonly flags: PublicFlags) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'All active flags of a website for a context (OpenFeature Remote Evaluation Protocol)' })
  @ApiOfrep()
  @ApiHeader({ name: 'If-None-Match', required: false, description: 'An `ETag`: 304 while the answer is the same' })
  @ApiOkResponse({ schema: OFREP_FLAGS, headers: { ETag: { schema: text } } })
  @ApiResponse({ status: 304, description: 'The answer is still that with the `ETag`' })
  async all(
    @Body() body: OfrepRequestDto,
    @Headers() headers: ClientHeaders,
    @Query('clientId') clientId: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ readonly flags: readonly OfrepFlag[] } | undefined> {
    const found = await this.flags.evaluate(clientIn(headers, clientId), contextOf(body));
    const answer = { flags: [...found].map(([key, result]) => ofrepFlag(key, result)) };
    const etag = `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url')}"`;
    void reply.header('etag', etag);
    if (!isKnown(etag, headers['if-none-match'])) return answer;
    void reply.status(304);
    return undefined;
  }

  @Post(':key')
  @HttpCode(200)
  @ApiOperation({ summary: 'One flag of a website for a context (OpenFeature Remote Evaluation Protocol)' })
  @ApiOfrep()
  @ApiParam({ name: 'key', description: 'The key of the flag', example: 'new-checkout' })
  @ApiOkResponse({ schema: OFREP_FLAG })
  @failure(404, 'There is no such active flag')
  async one(
    @Param('key') key: string,
    @Body() body: OfrepRequestDto,
    @Headers() headers: ClientHeaders,
    @Query('clientId') clientId: unknown,
  ): Promise<OfrepFlag> {
    const found = (await this.flags.evaluate(clientIn(headers, clientId), contextOf(body), [key])).get(key);
    if (!found) throw notFound('Flag');
    return ofrepFlag(key, found);
  }
}

type ClientHeaders = Readonly<Record<string, string | undefined>>;

function clientIn(headers: ClientHeaders, clientId: unknown): string {
  const found = headers[CLIENT_ID] ?? clientId;
  if (typeof found === 'string' && found !== '') return found;
  throw invalid([{ field: CLIENT_ID, message: 'Must be the id of a website.' }]);
}

/** Weak tags are the same as strong ones here: equal answers are equal byte for byte. */
const isKnown = (etag: string, known = ''): boolean =>
  known.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
