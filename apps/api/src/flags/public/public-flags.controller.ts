import { Body, Controller, Get, HttpCode, Injectable, Param, Post, Query, Req, applyDecorators } from '@nestjs/common';
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
import type { Flag } from '@ledgerline/contracts/records';
import {
  type EvaluatedFlag,
  FLAG_NOT_FOUND,
  type FlagResult,
  evaluateFlag,
  flagsOfWebsite,
} from '@ledgerline/domain/flags/evaluate-flag';
import { type FlagContext, nameIn } from '@ledgerline/domain/flags/flag-rules';
import { Registry } from '@ledgerline/domain/registry/registry';
import { FlagValues, type RuleValues } from '@ledgerline/platform/personal-data/sealed-values';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ApiEntityTag, PRIVATE, TaggedAnswer } from '../../http/entity-tag';
import { invalid, notFound } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { Budget, CLIENT_ID, CLIENT_ID_HEADER, Public, clientIdsOf } from '../../http/route';
import { openRules, sealedFlag } from '../sealed-rules';
import {
  OFREP_FAILURE,
  OFREP_FLAG,
  OFREP_FLAGS,
  type OfrepFlag,
  OfrepRequestDto,
  ofrepContext,
  ofrepFlag,
} from './ofrep.dto';
import { FlagResultDto, FlagResultsDto, FlagsQueryDto, OneFlagQueryDto, flagContextOf } from './public-flags.dto';

/** Evaluates flags for the clients of a website, from the registry in memory. */
@Injectable()
export class PublicFlags {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly values: FlagValues,
  ) {}

  /** By key, sorted; only those with these keys, if there are any. None for a client that is no website. */
  async evaluate(
    clientId: string,
    context: FlagContext,
    keys?: readonly string[],
  ): Promise<ReadonlyMap<string, FlagResult>> {
    let flags = this.find(clientId, context, keys);
    let values = await this.open(flags);
    if (flags.some((flag) => isUnread(flag, values))) {
      // their key may have been destroyed by a change that is not applied here yet
      await this.live.catchUp();
      flags = this.find(clientId, context, keys);
      values = await this.open(flags);
    }
    return new Map(flags.map((flag) => [flag.key, evaluateFlag(readable(flag, values), context)]));
  }

  private find(clientId: string, { environment }: FlagContext, keys?: readonly string[]): readonly Flag[] {
    const website = this.registry.find('websites', clientId);
    if (!website) return [];
    const all = this.registry.list('flags', website.organizationId);
    const wanted = keys ? all.filter(({ key }) => keys.includes(key)) : all;
    return flagsOfWebsite(wanted, clientId, nameIn(environment)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  private open(flags: readonly Flag[]): Promise<ReadonlyMap<string, RuleValues>> {
    return this.values.open(flags.map(sealedFlag));
  }
}

type Values = ReadonlyMap<string, RuleValues>;

const isUnread = ({ ruleValues }: Flag, values: Values): boolean => ruleValues !== null && !values.has(ruleValues);

/** Rules whose values cannot be read match no context; with empty lists, `not_in` would match all. */
function readable(flag: Flag, values: Values): EvaluatedFlag {
  const { key, type, defaultValue, payload, rollout, variants, variantRanges = null, ruleValues } = flag;
  const rules = isUnread(flag, values) ? [] : openRules(flag, values.get(ruleValues ?? ''));
  return { key, type, defaultValue, payload, rollout, variants, variantRanges, rules };
}

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
  async bulk(@Query() query: FlagsQueryDto): Promise<TaggedAnswer<PlainData<FlagResultsDto>>> {
    const keys = query.keys === undefined ? undefined : query.keys.split(',').map((key) => key.trim());
    const found = await this.flags.evaluate(query.clientId, flagContextOf(query), keys);
    return kept({ flags: Object.fromEntries(found), count: found.size });
  }

  @Get('evaluate')
  @ApiOperation({ summary: 'One flag of a website as it is for a person' })
  @ApiEntityTag()
  @ApiOkResponse({ type: FlagResultDto })
  async one(@Query() query: OneFlagQueryDto): Promise<TaggedAnswer<PlainData<FlagResultDto>>> {
    const found = await this.flags.evaluate(query.clientId, flagContextOf(query), [query.key]);
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
    failure(400, 'The request is malformed; `details` names the wrong fields'),
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
