import { Controller, Get, Query } from '@nestjs/common';
import { FLAG_NOT_FOUND } from '@ledgerline/domain/flags/evaluate-flag';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Plain } from '../../http/record.dto';
import { ApiEntityTag, PRIVATE, TaggedAnswer } from '../../http/entity-tag';
import { Budget, Public } from '../../http/route';
import { contextOf, FlagsQueryDto, OneFlagQueryDto } from './flag-query.dto';
import { FlagResultDto, FlagResultsDto } from './flag-result.dto';
import { PublicFlags } from './public-flags';

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
