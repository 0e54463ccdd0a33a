import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { type HashedKind, type SaltPeriod, plainHash, saltedHash } from '@ledgerline/platform/salts/visitor-salts';
import { readAgent, botVerdict } from '../visitors/user-agent';
import {
  type IntakeContext,
  type IntakeDeps,
  isIdentificationItem,
  subjectOf,
  type ParsedItem,
} from './intake-context';

/** Country, browser and so on. The address and user agent of a server with a key are not its visitors'. */
export function describeVisitor(context: IntakeContext, { geo }: Pick<IntakeDeps, 'geo'>): void {
  const { address, userAgent, caller } = context;
  if (caller !== null && botVerdict(userAgent) !== null) return;
  if (address !== null) context.place = geo.locate(address);
  if (userAgent !== null) context.agent = readAgent(userAgent);
}

/**
 * Hashes visitor, profile and session with the salt of the website (or organization) for the period of the event, or for
 * the one in which its visit began.
 */
export function assignVisitorIds(
  context: IntakeContext,
  { salts, visitPeriods }: Pick<IntakeDeps, 'salts' | 'visitPeriods'>,
): void {
  const hash = cachingLast();
  const { items, request, bot } = context;
  for (const item of items.length > 1 ? [...items].sort((a, b) => a.at - b.at) : items) {
    const saltOf = (period: SaltPeriod) => salts.saltFor(subjectOf(item), period);
    const visitor = visitorOf(context, item);
    const named = visitor ?? sessionOf(item);
    const idIn = named && bot === null ? (period: SaltPeriod) => hash(saltOf(period), named.kind, named.value) : null;
    const zone = item.website?.timezone ?? 'UTC';
    const time = { at: item.at, zone, identity: item.website?.visitorIdentity ?? 'daily' };
    const salt = saltOf(visitPeriods.periodOf(time, request.receivedAt, idIn));
    assignIds(item, visitor, item.payload.recognisable && context.caller !== null ? null : salt, hash);
  }
}

interface Named {
  readonly kind: HashedKind;
  readonly value: string;
}

/**
 * Returns what the visitor's id is made of; null for a server's event of nobody. A page that says who its visitor is
 * means the visitor of its page views, which know no profile.
 */
function visitorOf({ caller, address, userAgent }: IntakeContext, item: ParsedItem): Named | null {
  const { anonymousId, profileId } = item.payload;
  if (anonymousId !== null) return { kind: 'anonymous', value: anonymousId };
  const isOfPage = caller === null && isIdentificationItem(item);
  if (profileId !== null && !isOfPage) return { kind: 'profile', value: profileId };
  return caller === null ? { kind: 'browser', value: `${address ?? ''}\n${userAgent ?? ''}` } : null;
}

/** By what a visit without a visitor is known. */
function sessionOf({ payload: { sessionId } }: ParsedItem): Named | null {
  return sessionId === null ? null : { kind: 'session', value: sessionId };
}

function assignIds(item: ParsedItem, visitor: Named | null, key: Buffer | null, hash: Hash): void {
  const { profileId, sessionId } = item.payload;
  if (profileId !== null) item.profileHash = hash(key, 'profile', profileId);
  if (visitor !== null) item.visitorId = hash(key, visitor.kind, visitor.value);
  if (sessionId !== null) item.sessionId = hash(key, 'session', sessionId);
}

/** Without a salt, clients that know the id can recognise its hash. */
type Hash = (salt: Buffer | null, kind: HashedKind, value: string) => string;

/** Caches the last hash of each kind: the items of one request are mostly of one visitor and session. */
function cachingLast(): Hash {
  const last = new Map<HashedKind, { readonly salt: Buffer | null; readonly value: string; readonly hash: string }>();
  return (salt, kind, value) => {
    const known = last.get(kind);
    if (known?.salt === salt && known.value === value) return known.hash;
    const hash = salt === null ? plainHash(kind, value) : saltedHash(salt, kind, value);
    last.set(kind, { salt, value, hash });
    return hash;
  };
}

/**
 * Seals who visitors are said to be, by identifications and by hits that name a profile, each profile with a key of its
 * own; after this step nobody reads it without that key.
 */
export function sealProfiles(
  { items, bot }: IntakeContext,
  { profileKeys }: Pick<IntakeDeps, 'profileKeys'>,
): Promise<void> | undefined {
  const identifications = items.filter(isIdentificationItem);
  const pending = [...identifications, ...(bot === null ? lastNaming(items) : [])].map((item) =>
    seal(item, profileKeys),
  );
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

/** Returns of the hits that name a profile the last one for each visitor and profile: the others say nothing more. */
function lastNaming(items: readonly ParsedItem[]): Iterable<ParsedItem> {
  const last = new Map<string, ParsedItem>();
  for (const item of items) {
    const { visitorId, profileHash, website } = item;
    if (profileHash === null || visitorId === null || website === null || isIdentificationItem(item)) continue;
    const pair = `${website.id} ${visitorId} ${profileHash}`;
    if (item.at >= (last.get(pair)?.at ?? item.at)) last.set(pair, item);
  }
  return last.values();
}

async function seal(item: ParsedItem, keys: IntakeDeps['profileKeys']): Promise<void> {
  const { facts, profileId } = item.payload;
  if (profileId === null) return;
  const traits = facts.type === 'VisitorIdentified' ? facts.data.traits : {};
  item.profile = sealProfile(await keys.obtain(subjectOf(item), profileId), profileId, traits);
}

/** After this step the visitor's address and user agent are nowhere any more. */
export function dropAddress(context: IntakeContext): void {
  context.address = null;
  context.userAgent = null;
}
