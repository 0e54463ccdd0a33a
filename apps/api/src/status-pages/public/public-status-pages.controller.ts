import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiEntityTag, SHARED_MINUTE, TaggedAnswer } from '../../http/entity-tag';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { listOf, type List } from '../../http/list.dto';
import { Public, Refuses } from '../../http/route';
import { STATUS_REPORT } from './status-report.dto';
import { StatusReports, type StatusReport } from './status-reports';

export const SLUG = { name: 'slug', example: 'example-shop' };

@ApiTags('Status pages')
@Controller('public/v1/status-pages')
@Public()
export class PublicStatusPagesController {
  constructor(private readonly reports: StatusReports) {}

  @Get()
  @ApiOperation({ summary: 'The slugs of all public status pages' })
  @ApiOkResponse({ schema: object({ success: yes, data: list(text), total: whole }) })
  list(): List<string> {
    return listOf(this.reports.slugs);
  }

  @Get(':slug')
  @Refuses('NOT_FOUND')
  @ApiParam(SLUG)
  @ApiOperation({ summary: 'What a public status page shows' })
  @ApiOkResponse({ schema: STATUS_REPORT })
  @ApiEntityTag()
  async one(@Param('slug') slug: string): Promise<TaggedAnswer<StatusReport>> {
    return new TaggedAnswer(await this.reports.of(slug), { cacheControl: SHARED_MINUTE });
  }
}
