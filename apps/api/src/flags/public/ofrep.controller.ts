import { applyDecorators, Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CLIENT_ID, CLIENT_ID_HEADER, clientIdsOf } from '../../http/client-id';
import { ApiEntityTag, TaggedAnswer } from '../../http/entity-tag';
import { invalid, notFound } from '../../http/problems';
import { Budget, Public } from '../../http/route';
import { OFREP_FAILURE } from './ofrep-failure';
import { contextOf, OFREP_FLAG, OFREP_FLAGS, ofrepFlag, OfrepRequestDto, type OfrepFlag } from './ofrep.dto';
import { PublicFlags } from './public-flags';

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
    const found = await this.flags.evaluate(clientIn(request), contextOf(body));
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
    const found = (await this.flags.evaluate(clientIn(request), contextOf(body), [key])).get(key);
    if (!found) throw notFound('Flag');
    return ofrepFlag(key, found);
  }
}

function clientIn(request: FastifyRequest): string {
  const [found] = clientIdsOf(request);
  if (typeof found === 'string' && found !== '') return found;
  throw invalid([{ field: CLIENT_ID_HEADER, message: 'Must be the id of a website.' }]);
}
