import type { Link } from '@ledgerline/domain/registry/registry';
import { countedAddress } from '@ledgerline/platform/http/address';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { SaltCache } from '@ledgerline/platform/salts/salt-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Atlas } from '../geo/atlas';
import type { RateLimits } from '../http/rate-limits';
import { sayLimit } from '../http/say-limit';
import { readAgent } from '../visitors/agent';
import { botVerdict, type BotVerdict } from '../visitors/bot-verdict';
import { botClickOf, clickOf, type Visit } from './click';
import type { ClickRecorder } from './click-recorder';
import { destinationOf, isExpired, lateDestinationOf } from './destination';
import type { Links } from './find-link';
import { gonePage, notFoundPage, previewPage, tooManyPage, unavailablePage } from './pages';
import { isPreviewBot } from './preview-bots';
import { sendQrCode, splitQrName, type QrFormat } from './qr-code';

export interface RedirectTools {
  readonly links: Pick<Links, 'inMemory' | 'inStore'>;
  readonly limits: Pick<RateLimits, 'take'>;
  readonly salts: Pick<SaltCache, 'saltFor'>;
  readonly atlas: Pick<Atlas, 'locate'>;
  readonly clicks: Pick<ClickRecorder, 'add'>;
  readonly publicTrackUrl: string;
}

/** Answers short links from memory; their clicks follow behind. */
export class Redirector {
  constructor(private readonly tools: RedirectTools) {}

  /** `name` is a slug, or a slug with `.svg` or `.png` for its QR code. */
  answer(name: string, request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
    const { slug, format } = splitQrName(name);
    const link = this.tools.links.inMemory(slug);
    if (link === undefined) return this.answerFromStore(slug, format, request, reply);
    if (format !== null) return sendQrCode(`${this.tools.publicTrackUrl}/${slug}`, format, reply);
    this.redirect(link, request, reply);
  }

  private async answerFromStore(slug: string, format: QrFormat | null, request: FastifyRequest, reply: FastifyReply) {
    const limit = this.tools.limits.take('slug', countedAddress(request.ip), 1);
    sayLimit(limit, reply);
    try {
      const link = limit.exceeded ? undefined : await this.tools.links.inStore(slug);
      if (limit.exceeded) sendPage(reply.header('retry-after', limit.resetSeconds), 429, tooManyPage());
      else if (link === undefined) sendPage(reply, 404, notFoundPage());
      else if (format === null) this.redirect(link, request, reply);
      else await sendQrCode(`${this.tools.publicTrackUrl}/${slug}`, format, reply);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      sendPage(reply.header('retry-after', 2), 503, unavailablePage());
    }
  }

  private redirect(link: Link, request: FastifyRequest, reply: FastifyReply): void {
    const { headers } = request;
    const at = Date.now();
    if (isExpired(link, at)) {
      sendExpired(link, reply);
      return;
    }
    const userAgent = headers['user-agent'] ?? '';
    const agent = readAgent(userAgent);
    const visit = {
      link,
      at,
      address: request.ip,
      userAgent,
      agent,
      referrer: headers.referer,
      query: queryOf(request.url),
    };
    const bot = botVerdict(userAgent);
    const target = destinationOf(link, bot === null ? agent.os : null, visit.query);
    if (bot !== null && isPreviewBot(userAgent)) sendPage(reply, 200, previewPage(link, target));
    else void reply.header('cache-control', 'private, no-cache').redirect(target, 302);
    if (request.method !== 'HEAD') this.count(visit, bot);
  }

  /** After the answer is on its way. */
  private count(visit: Visit, bot: BotVerdict | null): void {
    const { atlas, clicks, salts } = this.tools;
    const { link, at } = visit;
    const place = atlas.locate(visit.address);
    const made = (salt: Buffer | null) => ({ event: clickOf(visit, place, salt), subject: link.id });
    const salt = bot === null ? salts.saltFor(link.organizationId, 'daily', at) : null;
    if (bot !== null) clicks.add({ event: botClickOf(visit, bot, place), subject: link.id });
    else clicks.add(salt instanceof Promise ? firstOf(salt).then(made) : made(salt));
  }
}

const SALT_PATIENCE_MS = 10;

/** A click counts even when the store is down and its salt is not in memory: then nobody can be told apart. */
const firstOf = (salt: Promise<Buffer>): Promise<Buffer | null> =>
  Promise.race([
    salt.catch(() => null),
    new Promise<null>((resolve) => setTimeout(() => resolve(null), SALT_PATIENCE_MS)),
  ]);

function sendExpired(link: Link, reply: FastifyReply): void {
  const target = lateDestinationOf(link);
  if (target === null) sendPage(reply, 410, gonePage());
  else void reply.header('cache-control', 'private, no-cache').redirect(target, 302);
}

const sendPage = (reply: FastifyReply, status: number, page: string): void =>
  void reply.status(status).headers(PAGE_HEADERS).send(page);

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const queryOf = (url: string): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};
