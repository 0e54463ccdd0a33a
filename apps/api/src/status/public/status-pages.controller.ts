import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { OverallStatus } from '@ledgerline/domain/monitors/status';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiEntityTag, SHARED_MINUTE, TaggedAnswer } from '../../http/entity-tag';
import { html } from '../../http/html';
import { type ListAnswer, arraySchema, listOf, object, text, whole, yes } from '../../http/record.dto';
import { Public, Refuses } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { type PublicIncident, STATUS_REPORT, type StatusReport, StatusReports } from './status-reports';
import { OVERALL_TEXT, incidentText, spanText, stateTexts, timeText } from './status-texts';
import { STATUS_POLICY, statusPageHtml } from './status.page';

const latestOf = (instants: readonly string[]): string => instants.reduce((a, b) => (a > b ? a : b));

/** When something about an incident was reported last, or a maintenance began. */
const updatedAt = ({ createdAt, resolvedAt, startsAt, updates }: PublicIncident, now: string): string => {
  const begun = startsAt === null ? [] : [new Date(startsAt).toISOString()].filter((at) => at <= now);
  return latestOf([createdAt, resolvedAt ?? '', ...begun, ...updates.map(({ at }) => at)]);
};

/** The incidents of a page as an Atom feed (RFC 4287); `url` = the address of the page. */
function atomFeed(url: string, report: StatusReport, now = new Date().toISOString()): string {
  const { name, overallStatus, incidents } = report;
  const updated = latestOf([report.updatedAt, ...incidents.map((incident) => updatedAt(incident, now))]);
  const entries = incidents.map(
    (incident) =>
      html`<entry>
        <id>${url}#${incident.id}</id>
        <title>${incident.title}</title>
        <link href="${url}#${incident.id}" />
        <published>${incident.createdAt}</published>
        <updated>${updatedAt(incident, now)}</updated>
        <category term="${incident.severity}" />
        <content type="text">${contentOf(incident, now, report.timezone)}</content>
      </entry> `,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom">
      <id>${url}</id>
      <title>${name}: status</title>
      <subtitle>${OVERALL_TEXT[overallStatus].sentence}</subtitle>
      <link href="${url}" />
      <link rel="self" href="${url}/feed.atom" />
      <updated>${updated}</updated>
      <author><name>${name}</name></author>
      ${entries}</feed
    > `.markup;
}

function contentOf(incident: PublicIncident, now: string, zone: string): string {
  const { startsAt, repeats, updates } = incident;
  const planned = startsAt === null ? [] : [`${spanText(incident, zone)}.`];
  const again = repeats === null ? [] : [`${repeats}.`];
  const said = updates.map(
    (update) => `${timeText(update.at, zone)}, ${incidentText(incident, update.status, update.at)}: ${update.message}`,
  );
  return [`${stateTexts(incident, now).join(', ')}.`, ...planned, ...again, ...said].join('\n');
}

const COLOURS: Readonly<Record<OverallStatus, string>> = {
  operational: '#1a7f4b',
  degraded: '#8a6100',
  outage: '#b3261e',
  unknown: '#5a6672',
  maintenance: '#2f5fa8',
};

const LABEL_WIDTH = 52;
const CHARACTER_WIDTH = 6.6;

/** An image of the overall status, as wide as its text. */
function badge(status: OverallStatus): string {
  const text = OVERALL_TEXT[status].short;
  const width = Math.ceil(text.length * CHARACTER_WIDTH) + 16;
  const whole = LABEL_WIDTH + width;
  const alternative = `status: ${text}`;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${whole}"
    height="20"
    role="img"
    aria-label="${alternative}"
  >
    <title>${alternative}</title>
    <clipPath id="r"><rect width="${whole}" height="20" rx="3" /></clipPath>
    <g clip-path="url(#r)">
      <rect width="${LABEL_WIDTH}" height="20" fill="#3b4652" />
      <rect x="${LABEL_WIDTH}" width="${width}" height="20" fill="${COLOURS[status]}" />
    </g>
    <g font-family="system-ui,Verdana,sans-serif" font-size="11" fill="#fff" text-anchor="middle">
      <text x="${LABEL_WIDTH / 2}" y="14">status</text>
      <text x="${LABEL_WIDTH + width / 2}" y="14">${text}</text>
    </g>
  </svg>`.markup;
}

const SLUG = { name: 'slug', example: 'example-shop' };

@ApiTags('Status pages')
@Controller('public/v1/status-pages')
@Public()
export class PublicStatusPagesController {
  constructor(private readonly reports: StatusReports) {}

  @Get()
  @ApiOperation({ summary: 'The slugs of all public status pages' })
  @ApiOkResponse({ schema: object({ success: yes, data: arraySchema(text), total: whole }) })
  list(): ListAnswer<string> {
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
