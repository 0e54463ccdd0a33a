import { Controller, Get, Head, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomEventId } from '@ledgerline/contracts/events/event-id';
import type {
  UserAgentInfo,
  HitJudgedBot,
  LinkClicked,
  Place,
  Referrer,
} from '@ledgerline/contracts/events/observed-events';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Link } from '@ledgerline/contracts/records';
import { type ClickReference, namesClick, withClick } from '@ledgerline/domain/links/click-id';
import { addressFor, leadsBack, slugIn } from '@ledgerline/domain/links/link-addresses';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { countedAddress } from '@ledgerline/platform/http/address';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { availableWithin } from '@ledgerline/platform/log/timing';
import type { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { type VisitorSalts, periodOf, saltedHash } from '@ledgerline/platform/salts/visitor-salts';
import { activeTraceparent } from '@ledgerline/platform/tracing/tracing';
import type { ClickRecorder } from '../click-spool/click-recorder';
import { type RateLimits, setRateLimitHeaders } from '../http/rate-limits';
import { LOOKUP_MS } from '../intake/intake-context';
import { cleanText, readReferrer, readUtm } from '../parse';
import { REDIRECT_DEPS } from '../tokens';
import type { GeoDatabase } from '../visitors/geo-database';
import {
  type BotVerdict,
  NOT_SEEN,
  botVerdict,
  isPreviewBot,
  isUnseen,
  readAgent,
  withVisitorAttributes,
} from '../visitors/user-agent';
import {
  type QrFormat,
  endlessPage,
  gonePage,
  hostPage,
  notFoundPage,
  previewPage,
  sendRedirectPage,
  sendQrCode,
  splitQrName,
  tooManyPage,
  unavailablePage,
  unrecordedPage,
} from './pages';

/** A request for a short link. It holds an address, so it never outlives the request. */
interface Visit {
  readonly link: Link;
  /** The id of its event. */
  readonly id: string;
  readonly at: number;
  readonly address: string;
  readonly userAgent: string;
  readonly agent: UserAgentInfo;
  readonly referrer: string | undefined;
  readonly query: string;
}

/** The click as it is recorded, without address and user agent. */
export function clickOf(visit: Visit, place: Place, salt: Buffer): LinkClicked {
  const { link, id, at, address, userAgent, agent, query } = visit;
  const data = Object.assign(withVisitorAttributes({}, place, agent), {
    organizationId: link.organizationId,
    linkId: link.id,
    visitorId: saltedHash(salt, 'browser', `${address}\n${userAgent}`),
    referrer: referrerOf(visit),
    utm: query === '' ? null : readUtm({}, query),
  });
  return { type: 'LinkClicked', id, at, receivedAt: at, data };
}

/** A click of a bot, or one that nobody sees: kept, never counted. */
function judgedClickOf(visit: Visit, place: Place, bot: BotVerdict): HitJudgedBot {
  const { link, id, at, userAgent, agent } = visit;
  const referrer = referrerOf(visit);
  const hit = Object.assign(withVisitorAttributes({}, place, agent), { referrer: referrer && { ...referrer } });
  const data = {
    organizationId: link.organizationId,
    websiteId: null,
    linkId: link.id,
    userAgent: bot === NOT_SEEN ? '' : (cleanText(userAgent, 1024) ?? ''),
    bot: bot.name,
    rule: bot.rule,
    ruleVersion: bot.ruleVersion,
    hit: { type: 'LinkClicked', data: hit },
  };
  return { type: 'HitJudgedBot', id, at, receivedAt: at, data };
}

function referrerOf({ referrer }: Visit): Referrer | null {
  if (referrer === undefined) return null;
  const origin = readReferrer(cleanText(referrer, 2048));
  return origin && { ...origin, own: false };
}

export interface RedirectDeps {
  readonly links: Pick<LinkLookup, 'cached' | 'inReadModels' | 'inStore'>;
  readonly limits: Pick<RateLimits, 'take'>;
  readonly salts: Pick<VisitorSalts, 'saltFor'>;
  readonly geo: Pick<GeoDatabase, 'locate'>;
  readonly clicks: Pick<ClickRecorder, 'add'>;
  readonly registry: Pick<Registry, 'isWebsiteHost'>;
  readonly publicTrackUrl: string;
}

/** TRICKY: not `@Param`, because Nest runs its pipes asynchronously, which delays the redirect. */
type SlugRequest = FastifyRequest<{ Params: { slug: string } }>;

/** Short links and their QR codes, and the page of the host itself. A link is followed when its click has room on disk or is in the log. */
@Controller()
export class RedirectController {
  constructor(@Inject(REDIRECT_DEPS) private readonly deps: RedirectDeps) {}

  @Get()
  showHost(@Res() reply: FastifyReply): void {
    sendRedirectPage(reply, 200, hostPage());
  }

  @Head()
  lookAtHost(@Res() reply: FastifyReply): void {
    sendRedirectPage(reply, 200, hostPage());
  }

  @Get(':slug')
  follow(@Req() request: SlugRequest, @Res() reply: FastifyReply): Promise<void> | void {
    return this.answer(request, reply);
  }

  @Head(':slug')
  look(@Req() request: SlugRequest, @Res() reply: FastifyReply): Promise<void> | void {
    return this.answer(request, reply);
  }

  /** The slug may end in `.svg` or `.png` for its QR code. */
  private answer(request: SlugRequest, reply: FastifyReply): Promise<void> | void {
    const { slug, format } = splitQrName(request.params.slug);
    const link = this.deps.links.cached(slug);
    if (link === undefined) return this.lookUp(slug, format, request, reply);
    return this.send(link, format, request, reply);
  }

  /** Only what the read models do not have is counted: the limit is one of guesses. */
  private async lookUp(slug: string, format: QrFormat | null, request: FastifyRequest, reply: FastifyReply) {
    try {
      const { links } = this.deps;
      const stored = await availableWithin(LOOKUP_MS, 'The read models', () => links.inReadModels(slug));
      const link = stored ?? (await this.inStore(slug, request, reply));
      if (link === undefined) sendRedirectPage(reply, 404, notFoundPage());
      else if (link !== 'too many') await this.send(link, format, request, reply);
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      sendUnavailable(reply, unavailablePage());
    }
  }

  private inStore(slug: string, request: FastifyRequest, reply: FastifyReply): Promise<Link | undefined> | 'too many' {
    const limit = this.deps.limits.take('slug', countedAddress(request.ip), 1);
    setRateLimitHeaders(limit, reply);
    if (!limit.exceeded) return availableWithin(LOOKUP_MS, 'The event store', () => this.deps.links.inStore(slug));
    sendRedirectPage(reply.header('retry-after', limit.resetSeconds), 429, tooManyPage());
    return 'too many';
  }

  private send(
    link: Link,
    format: QrFormat | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> | void {
    if (format !== null) return sendQrCode(this.addressOf(link), format, reply);
    return this.redirect(link, request, reply);
  }

  private redirect(link: Link, request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
    const visit = visitOf(link, request);
    const hasExpired = isLinkExpired(link, visit.at);
    const address = hasExpired ? link.expiredRedirectUrl : addressFor(link, visit.agent.os);
    const send = () => (hasExpired ? sendExpired(link, reply) : this.sendTo(visit, request, reply));
    if (address === null || slugIn(address, this.deps.publicTrackUrl) === undefined) return send();
    return this.leadsBack(link).then((isEndless) => (isEndless ? sendRedirectPage(reply, 508, endlessPage()) : send()));
  }

  /** Over other short links, of which one may have been changed since; false where they cannot be looked up. */
  private async leadsBack(link: Link): Promise<boolean> {
    const { links, publicTrackUrl } = this.deps;
    const find = async (slug: string) => links.cached(slug) ?? (await links.inReadModels(slug)) ?? links.inStore(slug);
    try {
      return await availableWithin(LOOKUP_MS, 'The read models', () => leadsBack(link, publicTrackUrl, find));
    } catch (error) {
      if (error instanceof LogUnavailable) return false;
      throw error;
    }
  }

  private sendTo(visit: Visit, request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
    const { link } = visit;
    const bot = botVerdict(visit.userAgent);
    const verdict = bot ?? (isUnseen(request.headers) ? NOT_SEEN : null);
    const isHead = request.method === 'HEAD';
    const click = verdict === null && !isHead ? this.clickToName(visit) : undefined;
    const target = destinationOf(link, bot === null ? visit.agent.os : null, visit.query, click);
    const answer = () => {
      if (bot !== null && isPreviewBot(visit.userAgent))
        sendRedirectPage(reply, 200, previewPage(link, this.addressOf(link), target));
      else sendRedirect(target, reply);
    };
    const isRecorded = isHead || this.record(visit, verdict);
    if (isRecorded !== true)
      return isRecorded.then((isInLog) => (isInLog ? answer() : sendUnavailable(reply, unrecordedPage())));
    answer();
  }

  /** From memory: a website of the last moments may be missed, and a redirect never waits. */
  private clickToName({ id, link }: Visit): NamedClick | undefined {
    if (link.trackVisits === false) return undefined;
    const isNamedTo = (host: string) => this.deps.registry.isWebsiteHost(link.organizationId, host);
    return { id, linkId: link.id, isNamedTo };
  }

  private addressOf({ slug }: Link): string {
    return `${this.deps.publicTrackUrl}/${slug}`;
  }

  private record(visit: Visit, verdict: BotVerdict | null): true | Promise<boolean> {
    const { geo, clicks, salts } = this.deps;
    const { link, at, address } = visit;
    const place = geo.locate(address);
    const event =
      verdict === null
        ? clickOf(visit, place, salts.saltFor(link.organizationId, periodOf(at, 'daily')))
        : judgedClickOf(visit, place, verdict);
    return clicks.add({ event, subject: link.id, trace: activeTraceparent() });
  }
}

function visitOf(link: Link, { headers, ip: address, url }: FastifyRequest): Visit {
  const userAgent = headers['user-agent'] ?? '';
  const at = url.indexOf('?');
  const query = at === -1 ? '' : url.slice(at + 1);
  const now = Date.now();
  const agent = readAgent(userAgent);
  return { link, id: randomEventId(now), at: now, address, userAgent, agent, referrer: headers.referer, query };
}

function sendExpired(link: Link, reply: FastifyReply): void {
  const target = lateDestinationOf(link);
  if (target === null) sendRedirectPage(reply, 410, gonePage());
  else sendRedirect(target, reply);
}

const sendUnavailable = (reply: FastifyReply, page: string): void =>
  sendRedirectPage(reply.header('retry-after', 2), 503, page);

const sendRedirect = (target: string, reply: FastifyReply): void =>
  void reply.header('cache-control', 'private, no-cache').redirect(target, 302);

/** A click, and the hosts to whose addresses it is added. */
type NamedClick = ClickReference & { readonly isNamedTo: (host: string) => boolean };

/** The target for a visitor with that operating system, in ASCII. `query` is the short URL's own query string. */
export function destinationOf(link: Link, os: string | null, query: string, click?: NamedClick): string {
  const target = addressFor(link, os);
  const url = parseUrl(target);
  if (url === null) return target;
  if (link.forwardQuery ?? true) forward(query, url);
  const isNamed = click !== undefined && /^https?:$/.test(url.protocol) && click.isNamedTo(normalHost(url.hostname));
  return isNamed ? withClick(url.href, click) : url.href;
}

/** The target of an expired link, in ASCII; null = none. */
const lateDestinationOf = ({ expiredRedirectUrl }: Pick<Link, 'expiredRedirectUrl'>): string | null =>
  expiredRedirectUrl === null ? null : inAscii(expiredRedirectUrl);

/** True from the very moment the link expires. */
export const isLinkExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/**
 * Appends the parameters of the short URL, as they were sent, but for those that the target has itself, and for a click on
 * another link.
 */
function forward(query: string, url: URL): void {
  const isPassed = (part: string) => part !== '' && !namesClick(part) && !url.searchParams.has(nameIn(part));
  const passed = query === '' ? [] : query.split('&').filter(isPassed);
  if (passed.length === 0) return;
  const separator = url.search === '' || url.search.endsWith('&') ? '' : '&';
  // not by `searchParams`, which writes the whole query anew
  url.search += `${separator}${passed.join('&')}`;
}

const nameIn = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? '';

/** A Location header holds nothing else, and Fastify does not encode it. */
const inAscii = (target: string): string => parseUrl(target)?.href ?? target;
