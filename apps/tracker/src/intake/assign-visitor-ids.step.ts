import { plainHash, saltedHash, type HashedKind } from '@ledgerline/platform/salts/visitor-hash';
import { isIdentification, type IntakeContext, type IntakeDeps, type Item } from './intake-context';

/** Hashes visitor, profile and session with the salt of the website (or organization) for the event's period. */
export function assignVisitorIds(context: IntakeContext, { salts }: Pick<IntakeDeps, 'salts'>): void {
  const hash = cachingLast();
  for (const item of context.items) {
    const scope = item.website?.id ?? item.organizationId;
    const salt = salts.saltFor(scope, item.website?.visitorIdentity ?? 'daily', item.at);
    assignIds(context, item, salt, hash);
  }
}

function assignIds(context: IntakeContext, item: Item, salt: Buffer, hash: Hash): void {
  const { anonymousId, profileId, sessionId, recognisable } = item.payload;
  const withKey = context.caller !== null;
  const key = recognisable && withKey ? null : salt;
  /** A page that says who its visitor is means the visitor of its page views, which know no profile. */
  const isOfPage = !withKey && isIdentification(item);
  if (profileId !== null) item.profileHash = hash(key, 'profile', profileId);
  if (anonymousId !== null) item.visitorId = hash(key, 'anonymous', anonymousId);
  else if (profileId !== null && !isOfPage) item.visitorId = item.profileHash;
  else if (!withKey) item.visitorId = hash(salt, 'browser', `${context.address ?? ''}\n${context.userAgent ?? ''}`);
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
