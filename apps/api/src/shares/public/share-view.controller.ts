import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { DASHBOARD_PANELS, type DashboardPanel } from '@ledgerline/contracts/events/share.events';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { Filter } from '@ledgerline/contracts/definitions';
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
import { consolePolicy, readConsole } from '../../console/console-files';
import { list, object, text, yes } from '../../http/json-schema';
import { OwnPagesGuard } from '../../http/origins';
import { Budget, clientDisconnectSignal, Public, Refuses } from '../../http/route';
import { RequestLimitGuard } from '../../limits/limits.module';
import { RunQuery } from '../../query/execution/query-runner';
import type { QueryResponse, RequestAnswer } from '../../query/execution/response';
import { ApiAnswer, ApiQuestion } from '../../query/http/query-schemas';
import { SharePasswordDto } from '../share.dto';
import { SharedDashboards, type SharedDashboard } from './shared-dashboards';
import { figuresIn, sharePage, type SharePreview } from './share.page';

const TOKEN = {
  name: 'token',
  description: 'Of a share, or the id of a website whose statistics are public',
  example: 'site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E',
};

/** What the page has to know before it asks for figures. */
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
      panels: list({ ...text, enum: DASHBOARD_PANELS }),
      filters: { ...list(FILTER), description: 'Of all that is asked, beside those of the question' },
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
    description: 'With `embed`, pages of other sites may show it in a frame, unless it has a password.',
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
    const mayEmbed = 'embed' in params && found !== undefined && !found.hasPassword;
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
  @Budget('accounts')
  @UseGuards(OwnPagesGuard)
  @Refuses('NOT_FOUND')
  @ApiOperation({ summary: 'Give the password of a share, for twelve hours: a cookie holds that it was given' })
  @ApiNoContentResponse({ description: 'The cookie is set' })
  async unlock(
    @Param('token') token: string,
    @Body() { password }: SharePasswordDto,
    @Req() http: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('set-cookie', await this.dashboards.unlock(token, password));
    await this.limits.giveBack(http);
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
    return this.queries.execute(new RunQuery(ANONYMOUS, {}, body, undefined, signal, id, false, target));
  }

  private async previewOf(
    found: SharedDashboard,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    requestId: string,
  ): Promise<SharePreview> {
    const body = { parameters: ['summary_metrics'], ...rangeIn(params) };
    const target = this.dashboards.targetIn(found);
    const asked = new RunQuery(ANONYMOUS, {}, body, undefined, signal, requestId, false, target);
    // the page is whole without them, and its panels say what is wrong
    const answer = await this.queries.execute(asked).catch(() => undefined);
    const figures = answer && figuresIn(answer as RequestAnswer); // one request has one answer
    return { name: found.website.name, ...(figures && { figures }) };
  }
}

/** What the address selects, as the console writes it; what means nothing is refused as in any question. */
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
