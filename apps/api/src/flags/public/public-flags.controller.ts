import { Controller, Get, Query } from '@nestjs/common';
import { FLAG_NOT_FOUND } from '@ledgerline/domain/flags/evaluate-flag';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Plain } from '../../http/record.dto';
import { EntityTag, PRIVATE } from '../../http/entity-tag';
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
  @EntityTag({ cacheControl: PRIVATE })
  @ApiExtraModels(FlagResultDto)
  @ApiOkResponse({ type: FlagResultsDto })
  async bulk(@Query() query: FlagsQueryDto): Promise<Plain<FlagResultsDto>> {
    const keys = query.keys === undefined ? undefined : query.keys.split(',').map((key) => key.trim());
    const found = await this.flags.evaluate(query.clientId, contextOf(query), keys);
    return { flags: Object.fromEntries(found), count: found.size };
  }

  @Get('evaluate')
  @ApiOperation({ summary: 'One flag of a website as it is for a person' })
  @EntityTag({ cacheControl: PRIVATE })
  @ApiOkResponse({ type: FlagResultDto })
  async one(@Query() query: OneFlagQueryDto): Promise<Plain<FlagResultDto>> {
    const found = await this.flags.evaluate(query.clientId, contextOf(query), [query.key]);
    return found.get(query.key) ?? FLAG_NOT_FOUND;
  }
}
