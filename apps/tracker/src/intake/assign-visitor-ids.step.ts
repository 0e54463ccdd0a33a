import type { Period } from '@ledgerline/platform/salts/period';
import { plainHash, saltedHash, type HashedKind } from '@ledgerline/platform/salts/visitor-hash';
import { isIdentification, subjectOf, type IntakeContext, type IntakeDeps, type Item } from './intake-context';

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
    const saltOf = (period: Period) => salts.saltFor(subjectOf(item), period);
    const visitor = visitorOf(context, item);
    const named = visitor ?? sessionOf(item);
    const idIn = named && bot === null ? (period: Period) => hash(saltOf(period), named.kind, named.value) : null;
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
 * What the visitor's id is made of; null for a server's event of nobody. A page that says who its visitor is means the
 * visitor of its page views, which know no profile.
 */
function visitorOf({ caller, address, userAgent }: IntakeContext, item: Item): Named | null {
  const { anonymousId, profileId } = item.payload;
  if (anonymousId !== null) return { kind: 'anonymous', value: anonymousId };
  const isOfPage = caller === null && isIdentification(item);
  if (profileId !== null && !isOfPage) return { kind: 'profile', value: profileId };
  return caller === null ? { kind: 'browser', value: `${address ?? ''}\n${userAgent ?? ''}` } : null;
}

/** By what a visit without a visitor is known. */
function sessionOf({ payload: { sessionId } }: Item): Named | null {
  return sessionId === null ? null : { kind: 'session', value: sessionId };
}

function assignIds(item: Item, visitor: Named | null, key: Buffer | null, hash: Hash): void {
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
