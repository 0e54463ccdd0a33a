import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import {
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Filter } from '@ledgerline/contracts/definitions';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { DASHBOARD_PANELS, type DashboardPanel, isEmbedding } from '@ledgerline/contracts/events/share.events';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { consolePolicy, readConsole } from '../../console/console.controller';
import { type Html, html } from '../../http/html';
import { RequestLimitGuard } from '../../http/limits.module';
import { OwnPagesGuard } from '../../http/origins';
import { arraySchema, object, text, yes } from '../../http/record.dto';
import { Budget, Public, Refuses, clientDisconnectSignal } from '../../http/route';
import { RunQuery } from '../../query/execution/query-runner';
import { type AnsweredRequest, type QueryResponse, responseTo } from '../../query/execution/response';
import { ApiAnswer, ApiQuestion } from '../../query/http/query-schemas';
import { SharePasswordDto } from '../shares';
import { type SharedDashboard, SharedDashboards } from './shared-dashboards';

/** The preview of a share's address; without figures where they could not be read. */
interface SharePreview {
  /** The name of the website. */
  readonly name: string;
  readonly figures?: { readonly visitors: number; readonly pageviews: number; readonly days: string };
}

const NAME = 'Ledgerline';
const NOT_SHARED = 'There are no statistics at this address, or not any more.';

/** The page of the console with what programs without scripts read of it: its title, and the figures of its range. */
function sharePage(consolePage: string, preview: SharePreview | 'locked' | 'absent'): string {
  const { title, sentence } = textsOf(preview);
  const head = html`<title>${title}</title>
    <meta name="description" content="${sentence}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${NAME}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${sentence}" />
    <meta name="twitter:card" content="summary" />`;
  return consolePage
    .replace(/<title>[^<]*<\/title>/, () => head.markup)
    .replace(/<noscript>[^]*<\/noscript>/, () => withoutScripts(title, sentence).markup);
}

const withoutScripts = (title: string, sentence: string): Html =>
  html`<noscript>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>The charts need JavaScript.</p>
  </noscript>`;

const count = new Intl.NumberFormat('en');
const counted = (number: number, one: string, many: string): string =>
  `${count.format(number)} ${number === 1 ? one : many}`;

function textsOf(preview: SharePreview | 'locked' | 'absent'): { readonly title: string; readonly sentence: string } {
  if (preview === 'locked') return { title: 'Shared statistics', sentence: 'A password is needed to see them.' };
  if (preview === 'absent') return { title: 'Not shared', sentence: NOT_SHARED };
  const { name, figures } = preview;
  if (!figures) return { title: name, sentence: `Statistics of ${name}.` };
  const visitors = counted(figures.visitors, 'visitor', 'visitors');
  const views = counted(figures.pageviews, 'page view', 'page views');
  return { title: `${name}: ${visitors}`, sentence: `${visitors} and ${views} of ${name}, ${figures.days}.` };
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The figures of an answer to `summary_metrics`; undefined where that failed. */
function figuresIn({ results: [result], meta }: AnsweredRequest): SharePreview['figures'] | undefined {
  const row = result?.rows[0];
  if (!row) return undefined;
  const days = DAY.formatRange(new Date(meta.startDate), new Date(meta.endDate));
  return { visitors: Number(row['unique_visitors']), pageviews: Number(row['pageviews']), days };
}

const TOKEN = {
  name: 'token',
  description: 'Of a share, or the id of a website whose statistics are public',
  example: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
};

/** The view that the page has to know before it asks for figures. */
interface SharedView {
  readonly needsPassword: boolean;
  readonly dashboard: {
    readonly name: string;
    readonly website: { readonly name: string; readonly domain: string; readonly timezone: string };
    readonly panels: readonly DashboardPanel[];
    readonly filters: readonly Filter[];
  } | null;
}

const HTML = { 'text/html': { schema: text } };
const FILTER = { oneOf: ['FilterDto', 'AnyFilterDto'].map((name) => ({ $ref: `#/components/schemas/${name}` })) };
const VIEW = object({
  needsPassword: { ...yes, description: 'And it was not given yet' },
  dashboard: {
    ...object({
      name: { ...text, description: 'Whom the share is for, or of the website' },
      website: object({ name: text, domain: text, timezone: text }),
      panels: arraySchema({ ...text, enum: DASHBOARD_PANELS }),
      filters: { ...arraySchema(FILTER), description: 'Of all that is asked, beside those of the question' },
    }),
    type: ['object', 'null'],
    description: 'null until the password was given',
  },
});

/** Dashboards without an account: a page of the console, what it shows, and the only questions that it may ask. */
@ApiTags('Shares')
@Controller('share/:token')
@Public()
@ApiParam(TOKEN)
export class ShareViewController {
  private readonly files = readConsole();

  constructor(
    private readonly dashboards: SharedDashboards,
    private readonly queries: QueryBus,
    private readonly limits: RequestLimitGuard,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'A shared dashboard, with its figures in the head for previews of links',
    description:
      'With `embed` (and not `embed=false`), pages of other sites may show it in a frame, unless it has a password.',
  })
  @ApiQuery({ name: 'embed', required: false, schema: text })
  @ApiOkResponse({ content: HTML })
  @ApiNotFoundResponse({ description: 'The page says that there is nothing', content: HTML })
  async page(
    @Param('token') token: string,
    @Query() params: Readonly<Record<string, unknown>>,
    @Req() { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!this.files) throw new Error('The console was not built; "npm run build" builds it.');
    const found = await this.dashboards.find(token).catch(undefinedIfNotFound);
    const isOpen = found !== undefined && this.dashboards.isOpen(found, headers.cookie);
    const preview = isOpen ? await this.previewOf(found, params, clientDisconnectSignal(reply), id) : undefined;
    const mayEmbed = isEmbedding(params['embed']) && found !== undefined && !found.hasPassword;
    void reply
      .status(found ? 200 : 404)
      .header('content-security-policy', consolePolicy(this.files.scriptHash, mayEmbed ? '*' : "'none'"))
      .type('text/html; charset=utf-8')
      .send(sharePage(this.files.page.identity.toString(), found ? (preview ?? 'locked') : 'absent'));
  }

  @Get('dashboard')
  @Refuses('NOT_FOUND')
  @ApiOperation({ summary: 'What a shared dashboard shows' })
  @ApiOkResponse({ schema: VIEW })
  async view(@Param('token') token: string, @Headers('cookie') cookie: string | undefined): Promise<SharedView> {
    const found = await this.dashboards.find(token);
    if (!this.dashboards.isOpen(found, cookie)) return { needsPassword: true, dashboard: null };
    const { website, share, panels } = found;
    const { name, domain, timezone } = website;
    const filters = this.dashboards.targetIn(found).filters ?? [];
    const dashboard = { name: share?.name ?? name, website: { name, domain, timezone }, panels, filters };
    return { needsPassword: false, dashboard };
  }

  @Post('password')
  @HttpCode(204)
  @UseGuards(OwnPagesGuard)
  @Refuses('NOT_FOUND')
  @ApiOperation({
    summary: 'Give the password of a share, for twelve hours: a cookie holds that it was given',
    description:
      'Wrong passwords of each share have a limit for each address, the number of which is that of sign-ins.',
  })
  @ApiNoContentResponse({ description: 'The cookie is set' })
  async unlock(
    @Param('token') token: string,
    @Body() { password }: SharePasswordDto,
    @Req() http: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const share = await this.dashboards.lockedShare(token);
    await this.limits.count('sharePasswords', http, reply, share.id);
    void reply.header('set-cookie', await this.dashboards.unlock(share, { token, password }));
    await this.limits.giveBack(http, share.id);
  }

  @Post('query')
  @HttpCode(200)
  @Budget('query')
  @Refuses('NOT_FOUND', 'FORBIDDEN')
  @ApiOperation({
    summary: 'Query a shared website',
    description: 'Public query types alone, with the filters of the share added to those of the request.',
  })
  @ApiQuestion()
  @ApiAnswer()
  async ask(
    @Param('token') token: string,
    @Req() { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<QueryResponse> {
    const target = await this.dashboards.targetOf(token, headers.cookie);
    const signal = clientDisconnectSignal(reply);
    const query = new RunQuery({ caller: ANONYMOUS, target, body, signal, requestId: id });
    return responseTo(body, await this.queries.execute(query));
  }

  private async previewOf(
    found: SharedDashboard,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    requestId: string,
  ): Promise<SharePreview> {
    const body = { parameters: ['summary_metrics'], ...rangeIn(params) };
    const target = this.dashboards.targetIn(found);
    const query = new RunQuery({ caller: ANONYMOUS, target, body, signal, requestId });
    // the page is whole without them, and its panels say what is wrong
    const [answer] = await this.queries.execute(query).catch(() => []);
    const figures = answer && figuresIn(answer);
    return { name: found.website.name, ...(figures && { figures }) };
  }
}

/** Returns what the address selects, as the console writes it; what means nothing is refused as in any question. */
function rangeIn({ preset = 'last_7d', from, to, timezone, filters }: Readonly<Record<string, unknown>>): object {
  const range = from === undefined || to === undefined ? { preset } : { startDate: from, endDate: to };
  return { ...range, timezone, filters: typeof filters === 'string' ? jsonIn(filters) : filters };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // which is refused
  }
}

function undefinedIfNotFound(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'NOT_FOUND')) throw error;
}
