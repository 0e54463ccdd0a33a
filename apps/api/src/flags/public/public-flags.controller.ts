import { applyDecorators, Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { FLAG_NOT_FOUND } from '@ledgerline/domain/flags/evaluate-flag';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Plain } from '../../http/record.dto';
import { ApiEntityTag, PRIVATE, TaggedAnswer } from '../../http/entity-tag';
import { Budget, CLIENT_ID, CLIENT_ID_HEADER, clientIdsOf, Public } from '../../http/route';
import { invalid, notFound } from '../../http/problems';
import { contextOf, FlagResultDto, FlagResultsDto, FlagsQueryDto, OneFlagQueryDto } from './public-flags.dto';
import { PublicFlags } from './public-flags';
import {
  OFREP_FAILURE,
  OFREP_FLAG,
  OFREP_FLAGS,
  ofrepContext,
  ofrepFlag,
  OfrepRequestDto,
  type OfrepFlag,
} from './ofrep.dto';

@ApiTags('Flags')
@Controller('public/v1/flags')
@Public()
@Budget('flags')
export class PublicFlagsController {
  constructor(private readonly flags: PublicFlags) {}

  @Get('bulk')
  @ApiOperation({ summary: 'All active flags of a website, or those with some keys, as they are for a person' })
  @ApiEntityTag()
  @ApiExtraModels(FlagResultDto)
  @ApiOkResponse({ type: FlagResultsDto })
  async bulk(@Query() query: FlagsQueryDto): Promise<TaggedAnswer<Plain<FlagResultsDto>>> {
    const keys = query.keys === undefined ? undefined : query.keys.split(',').map((key) => key.trim());
    const found = await this.flags.evaluate(query.clientId, contextOf(query), keys);
    return kept({ flags: Object.fromEntries(found), count: found.size });
  }

  @Get('evaluate')
  @ApiOperation({ summary: 'One flag of a website as it is for a person' })
  @ApiEntityTag()
  @ApiOkResponse({ type: FlagResultDto })
  async one(@Query() query: OneFlagQueryDto): Promise<TaggedAnswer<Plain<FlagResultDto>>> {
    const found = await this.flags.evaluate(query.clientId, contextOf(query), [query.key]);
    return kept(found.get(query.key) ?? FLAG_NOT_FOUND);
  }
}

const kept = <Body>(body: Body) => new TaggedAnswer(body, { cacheControl: PRIVATE });

const failure = (status: number, description: string) =>
  ApiResponse({ status, description, content: { 'application/json': { schema: OFREP_FAILURE } } });

/** The website, in a header, as providers can set headers but not parameters; or in the query string. */
const ApiOfrep = () =>
  applyDecorators(
    ApiHeader({ name: CLIENT_ID_HEADER, required: false, description: 'The id of the website' }),
    ApiQuery({ name: CLIENT_ID, type: String, required: false, description: 'The same, without the header' }),
    failure(400, 'The request is malformed; `details` names every wrong field'),
  );

@ApiTags('Flags')
@Controller('public/v1/flags/ofrep/v1/evaluate/flags')
@Public()
@Budget('flags')
export class OfrepController {
  constructor(private readonly flags: PublicFlags) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'All active flags of a website for a context (OpenFeature Remote Evaluation Protocol)' })
  @ApiOfrep()
  @ApiEntityTag()
  @ApiOkResponse({ schema: OFREP_FLAGS })
  async all(
    @Body() body: OfrepRequestDto,
    @Req() request: FastifyRequest,
  ): Promise<TaggedAnswer<{ readonly flags: readonly OfrepFlag[] }>> {
    const found = await this.flags.evaluate(clientIn(request), ofrepContext(body));
    return new TaggedAnswer({ flags: [...found].map(([key, result]) => ofrepFlag(key, result)) });
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
    @Req() request: FastifyRequest,
  ): Promise<OfrepFlag> {
    const found = (await this.flags.evaluate(clientIn(request), ofrepContext(body), [key])).get(key);
    if (!found) throw notFound('Flag');
    return ofrepFlag(key, found);
  }
}

function clientIn(request: FastifyRequest): string {
  const [found] = clientIdsOf(request);
  if (typeof found === 'string' && found !== '') return found;
  throw invalid([{ field: CLIENT_ID_HEADER, message: 'Must be the id of a website.' }]);
}
