import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { Public, Refuses } from '../../http/route';
import { NOT_MODIFIED, sendCached } from './cached-reply';
import { STATUS_REPORT } from './status-report.dto';
import { StatusReports } from './status-reports';

export const SLUG = { name: 'slug', example: 'example-shop' };

@ApiTags('Status pages')
@Controller('public/v1/status-pages')
@Public()
export class PublicStatusPagesController {
  constructor(private readonly reports: StatusReports) {}

  @Get()
  @ApiOperation({ summary: 'The slugs of all public status pages' })
  @ApiOkResponse({ schema: object({ success: yes, data: list(text), total: whole }) })
  list(): { readonly success: true; readonly data: readonly string[]; readonly total: number } {
    const { slugs } = this.reports;
    return { success: true, data: slugs, total: slugs.length };
  }

  @Get(':slug')
  @Refuses('NOT_FOUND')
  @ApiParam(SLUG)
  @ApiResponse(NOT_MODIFIED)
  @ApiOperation({ summary: 'What a public status page shows' })
  @ApiOkResponse({ schema: STATUS_REPORT })
  async one(@Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    sendCached(reply, 'application/json; charset=utf-8', JSON.stringify(await this.reports.of(slug)));
  }
}
