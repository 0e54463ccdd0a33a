import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiEntityTag, SHARED_MINUTE, TaggedAnswer } from '../../http/entity-tag';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { listOf, type List } from '../../http/record.dto';
import { Public, Refuses } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { STATUS_REPORT, StatusReports, type StatusReport } from './status-reports';
import { atomFeed } from './atom-feed';
import { badge } from './badge';
import { STATUS_POLICY, statusPageHtml } from './status.page';

const SLUG = { name: 'slug', example: 'example-shop' };

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

const schema = { type: 'string' };

/** Public status pages for people, their readers of feeds, and their own pages. */
@ApiTags('Status pages')
@Controller('status/:slug')
@Public()
@Refuses('NOT_FOUND')
@ApiParam(SLUG)
export class StatusViewController {
  constructor(
    private readonly reports: StatusReports,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'A public status page' })
  @ApiOkResponse({ content: { 'text/html': { schema } } })
  @ApiEntityTag()
  async page(@Param('slug') slug: string): Promise<TaggedAnswer<string>> {
    const page = statusPageHtml(slug, await this.reports.of(slug));
    return kept(page, 'text/html', { 'content-security-policy': STATUS_POLICY });
  }

  @Get('feed.atom')
  @ApiOperation({ summary: 'The incidents of a public status page as an Atom feed' })
  @ApiOkResponse({ content: { 'application/atom+xml': { schema } } })
  @ApiEntityTag()
  async feed(@Param('slug') slug: string): Promise<TaggedAnswer<string>> {
    const url = `${this.settings.publicApiUrl}/status/${slug}`;
    return kept(atomFeed(url, await this.reports.of(slug)), 'application/atom+xml');
  }

  @Get('badge.svg')
  @ApiOperation({ summary: 'The overall status of a public status page as an image, for pages of any host' })
  @ApiOkResponse({ content: { 'image/svg+xml': { schema } } })
  @ApiEntityTag()
  async badge(@Param('slug') slug: string): Promise<TaggedAnswer<string>> {
    const { overallStatus } = await this.reports.of(slug);
    return kept(badge(overallStatus), 'image/svg+xml', { 'cross-origin-resource-policy': 'cross-origin' });
  }
}

const kept = (text: string, type: string, headers: Readonly<Record<string, string>> = {}) =>
  new TaggedAnswer(text, { cacheControl: SHARED_MINUTE, contentType: `${type}; charset=utf-8`, headers });
