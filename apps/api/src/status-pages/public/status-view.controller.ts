import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public, Refuses } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { atomFeed } from './atom-feed';
import { badge } from './badge';
import { NOT_MODIFIED, sendCached } from './cached-reply';
import { SLUG } from './public-status-pages.controller';
import { STATUS_POLICY, statusPageHtml } from './status.page';
import { StatusReports } from './status-reports';

const schema = { type: 'string' };

/** Public status pages for people, their readers of feeds, and their own pages. */
@ApiTags('Status pages')
@Controller('status/:slug')
@Public()
@Refuses('NOT_FOUND')
export class StatusViewController {
  constructor(
    private readonly reports: StatusReports,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiParam(SLUG)
  @ApiResponse(NOT_MODIFIED)
  @ApiOperation({ summary: 'A public status page' })
  @ApiOkResponse({ content: { 'text/html': { schema } } })
  async page(@Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    const page = statusPageHtml(slug, await this.reports.of(slug));
    sendCached(reply.header('content-security-policy', STATUS_POLICY), 'text/html; charset=utf-8', page);
  }

  @Get('feed.atom')
  @ApiParam(SLUG)
  @ApiResponse(NOT_MODIFIED)
  @ApiOperation({ summary: 'The incidents of a public status page as an Atom feed' })
  @ApiOkResponse({ content: { 'application/atom+xml': { schema } } })
  async feed(@Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    const url = `${this.settings.publicApiUrl}/status/${slug}`;
    sendCached(reply, 'application/atom+xml; charset=utf-8', atomFeed(url, await this.reports.of(slug)));
  }

  @Get('badge.svg')
  @ApiParam(SLUG)
  @ApiResponse(NOT_MODIFIED)
  @ApiOperation({ summary: 'The overall status of a public status page as an image' })
  @ApiOkResponse({ content: { 'image/svg+xml': { schema } } })
  async badge(@Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    const { overallStatus } = await this.reports.of(slug);
    // shown on pages of other hosts
    const shared = reply.header('cross-origin-resource-policy', 'cross-origin');
    sendCached(shared, 'image/svg+xml; charset=utf-8', badge(overallStatus));
  }
}
