import { Problem, type ErrorCode, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import {
  CLOCK_TOLERANCE_MS,
  EARLIEST_TIME,
  MAX_AHEAD_MS,
  MAX_BROWSER_EVENT_AGE_MS,
} from '@ledgerline/contracts/intake-limits';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Website } from '@ledgerline/contracts/records';
import { type KeyCaller, holdsAnywhere, may } from '@ledgerline/domain/access/caller';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { RateLimit } from '../http/rate-limits';
import { isWithin } from '../parse';
import { botVerdict, NOT_SEEN } from '../visitors/user-agent';
import { DistinctTimes } from '../visitors/visit-periods';
import {
  type IntakeContext,
  type IntakeDeps,
  type IntakeRequest,
  refuse,
  type ParsedItem,
  isIdentificationItem,
  subjectOf,
} from './intake-context';

/** Rejects an address without a lookup after too many rejected requests. */
export function limitRefused(context: IntakeContext, { limits }: Pick<IntakeDeps, 'limits'>): void {
  const limit = limits.look('refused', addressOf(context));
  if (limit.exceeded) context.rateLimit = limit;
  refuseExceeded(limit);
}

/** Counts a request that was refused before any other budget could count it. */
export function countRefused(context: IntakeContext, error: unknown, { limits }: Pick<IntakeDeps, 'limits'>): void {
  if (context.rateLimit !== null || !(error instanceof Problem) || error.code === 'SERVICE_UNAVAILABLE') return;
  context.rateLimit = limits.take('refused', addressOf(context), 1);
}

const addressOf = ({ address }: IntakeContext): string => countedAddress(address ?? '');

function refuseExceeded({ exceeded, resetSeconds }: RateLimit): void {
  if (exceeded) throw new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
}

/** Finds the API key the request came with, if any. */
export function identifyCaller(
  context: IntakeContext,
  { registry }: Pick<IntakeDeps, 'registry'>,
): Promise<void> | undefined {
  const { secret } = context.request;
  return secret === null ? undefined : checkKey(context, secret, registry);
}

async function checkKey(context: IntakeContext, secret: string, registry: IntakeDeps['registry']): Promise<void> {
  const caller = await registry.caller(secret);
  if (caller === undefined) throw new Problem('AUTH_REQUIRED', 'Authentication required');
  if (!holdsAnywhere(caller, 'track:events')) throw new Problem('FORBIDDEN', 'Insufficient permissions');
  context.caller = caller;
}

/** When each item happened, by our clock; refuses those that cannot have happened then. */
export function assignTimes(context: IntakeContext): void {
  const { items, request } = context;
  const { receivedAt, secret } = request;
  const newest = Math.max(...items.map(({ payload }) => payload.at ?? -Infinity));
  if (secret === null) context.clockAhead = clockAhead(request, newest);
  for (const item of items) {
    if (item.payload.at !== null) item.at = item.payload.at - context.clockAhead;
    const wrong = checkTime(item.at, receivedAt, secret !== null);
    if (wrong) refuse(context, item, 'VALIDATION_ERROR', wrong);
  }
}

/**
 * By how much the clock of a browser is ahead of ours, in ms. The script has one difference for each page load: what the
 * answer to its first request named, which a later request says again; another one holds from where its clock differs
 * from that by a minute, as after a sleep of the device. Of a browser without the script it is unknown, unless the
 * newest time of its request is impossible; then that event happened just now.
 * @param newest the newest time of the request, -Infinity if none has one
 */
function clockAhead({ sentAt, clockAhead: named, receivedAt }: IntakeRequest, newest: number): number {
  const [known, possible] = sentAt === null ? [0, receivedAt] : [named ?? 0, receivedAt + CLOCK_TOLERANCE_MS];
  const seen = sentAt === null ? known : sentAt - receivedAt;
  const ahead = Math.abs(seen - known) < CLOCK_TOLERANCE_MS ? known : seen;
  const isImpossible = newest - ahead > possible || (sentAt === null && newest < receivedAt - MAX_BROWSER_EVENT_AGE_MS);
  return isImpossible && newest !== -Infinity ? newest - receivedAt : ahead;
}

/** Why an event cannot have happened then; only requests with a key may send events of the distant past. */
function checkTime(at: number, now: number, withKey: boolean): FieldError | undefined {
  if (at > now + MAX_AHEAD_MS) return { field: 'timestamp', message: 'must not be more than an hour in the future' };
  if (withKey && at < EARLIEST_TIME) return { field: 'timestamp', message: 'must not be before the year 2000' };
  if (!withKey && at < now - MAX_BROWSER_EVENT_AGE_MS)
    return { field: 'timestamp', message: 'must not be older than 7 days' };
  return undefined;
}

/** Returns which website each item is about, and whether the caller may send events for it. */
export function identifyWebsite(
  context: IntakeContext,
  { registry }: Pick<IntakeDeps, 'registry'>,
): Promise<void> | undefined {
  const pending: Promise<void>[] = [];
  for (const item of [...context.items]) {
    const id = item.payload.websiteId ?? context.request.websiteId;
    const website = id === null ? null : registry.website(id);
    if (website instanceof Promise) pending.push(website.then((found) => assign(context, item, found)));
    else assign(context, item, website);
  }
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

/** `null` = no website was named, `undefined` = there is none of that id. */
function assign(context: IntakeContext, item: ParsedItem, website: Website | null | undefined): void {
  const { caller } = context;
  if (website === undefined && item.payload.websiteId === null) throw unknownWebsite(caller);
  if (caller === null) assignByWebsite(context, item, website);
  else if (website === undefined) refuse(context, item, ...UNKNOWN_TO_KEY);
  else assignByKey(context, item, website, caller);
}

function assignByWebsite(context: IntakeContext, item: ParsedItem, website: Website | null | undefined): void {
  if (website === null) throw unidentified(context.request.route.unidentified);
  if (website === undefined) {
    refuse(context, item, ...UNKNOWN);
    return;
  }
  item.website = website;
  item.organizationId = website.organizationId;
}

function assignByKey(context: IntakeContext, item: ParsedItem, website: Website | null, caller: KeyCaller): void {
  const organizationId = website?.organizationId ?? caller.organizationId;
  const ofNoWebsite = website === null && item.payload.facts.type !== 'CustomEventTracked';
  if (!may(caller, 'events:track', { organizationId, websiteId: website?.id })) refuse(context, item, ...FORBIDDEN);
  else if (ofNoWebsite) refuse(context, item, ...NO_WEBSITE);
  else {
    item.website = website;
    item.organizationId = organizationId;
  }
}

const unidentified = (code: ErrorCode): Problem =>
  code === 'AUTH_REQUIRED'
    ? new Problem(code, 'Authentication required')
    : new Problem(code, 'client_id is missing', [{ field: 'client_id', message: 'is missing' }]);

const unknownWebsite = (caller: KeyCaller | null): Problem =>
  new Problem(caller === null ? 'VALIDATION_ERROR' : 'NOT_FOUND', 'client_id is no website', [
    { field: 'client_id', message: 'is no website' },
  ]);

const because = (code: ErrorCode, message: string): [ErrorCode, FieldError] => [code, { field: 'websiteId', message }];

const UNKNOWN = because('VALIDATION_ERROR', 'is no website');
const UNKNOWN_TO_KEY = because('NOT_FOUND', 'is no website');
const FORBIDDEN = because('FORBIDDEN', 'is not within the permissions of the key');
const NO_WEBSITE = because('VALIDATION_ERROR', 'is missing');

/** Counts a key's events (its requests, if it has its own limit), or a browser's requests for each website by its address. */
export function limitRate(context: IntakeContext, { limits }: Pick<IntakeDeps, 'limits'>): void {
  const { caller } = context;
  const taken = caller === null ? takeOfBrowser(context, limits) : [takeOfKey(caller, context, limits)];
  context.rateLimit = taken.reduce(tighter);
  refuseExceeded(context.rateLimit);
}

const takeOfKey = ({ id, rateLimit }: KeyCaller, { items }: IntakeContext, limits: IntakeDeps['limits']): RateLimit =>
  rateLimit ? limits.takeOwn(id, rateLimit) : limits.take('key', id, Math.max(items.length, 1));

/** A request with nothing that is any website's, or with an unknown one among them, counts as a refused one too. */
function takeOfBrowser(context: IntakeContext, limits: IntakeDeps['limits']): readonly RateLimit[] {
  const address = addressOf(context);
  const ids = new Set(context.items.map(({ website }) => website?.id ?? ''));
  const taken = [...ids].map((id) => limits.take('website', `${id} ${address}`, 1));
  const isRefused = ids.size === 0 || namesUnknownWebsites(context);
  return isRefused ? [...taken, limits.take('refused', address, 1)] : taken;
}

const namesUnknownWebsites = ({ refused }: IntakeContext): boolean =>
  refused.some(({ errors }) => errors.some(({ field }) => field === 'websiteId'));

const tighter = (a: RateLimit, b: RateLimit): RateLimit => {
  if (a.exceeded !== b.exceeded) return a.exceeded ? a : b;
  return a.remaining <= b.remaining ? a : b;
};

/** A page may only send for its own websites; a request without an origin is not from a page. */
export function checkOrigin(context: IntakeContext): void {
  const { origin } = context.request;
  if (context.caller !== null || origin === null) return;
  const host = normalHost(parseUrl(origin)?.hostname ?? '');
  for (const item of context.items) {
    const { website } = item;
    const isAllowed =
      website !== null && host !== '' && (isWithin(host, website.domain) || website.allowedOrigins.includes(host));
    if (!isAllowed)
      refuse(context, item, 'FORBIDDEN', { field: 'origin', message: 'may not send events for this website' });
  }
}

/** Detects bots and what nobody sees. A request with an API key is never judged, because servers look like bots. */
export function judgeBots(context: IntakeContext): void {
  if (context.caller !== null) return;
  context.bot = botVerdict(context.userAgent) ?? (context.request.isUnseen ? NOT_SEEN : null);
}

/** Gives the events of each visitor (without one: session) of a request times of their own, in the order of the list. */
export function separateEqualTimes({ items }: IntakeContext): void {
  if (items.length < 2) return;
  const times = new DistinctTimes();
  for (const item of items) {
    const sender = item.visitorId ?? item.sessionId;
    if (sender !== null) item.at = times.take(`${subjectOf(item)} ${sender}`, item.at);
  }
}

/** Records hits without visitor and session once one visitor (or session) has had as many today as projections handle. */
export function limitVisitorHits(context: IntakeContext, { hitsPerVisitor }: Pick<IntakeDeps, 'hitsPerVisitor'>): void {
  if (context.bot !== null) return; // never counted
  for (const item of context.items) {
    const id = item.visitorId ?? item.sessionId;
    if (isIdentificationItem(item)) continue; // it is in no session
    if (id === null || hitsPerVisitor.take(id, subjectOf(item), context.request.receivedAt)) continue;
    item.visitorId = null;
    item.sessionId = null;
  }
}
