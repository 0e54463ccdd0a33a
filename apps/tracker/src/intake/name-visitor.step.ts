import { plainHash, saltedHash, type HashedKind } from '@ledgerline/platform/salts/visitor-hash';
import type { Delivery, Item } from './delivery';
import type { Tools } from './tools';

/** Hashes who it was, and their session, with the salt of the website (or organization) for the event's period. */
export function nameVisitor(delivery: Delivery, { salts }: Pick<Tools, 'salts'>): Promise<void> | undefined {
  const pending: Promise<void>[] = [];
  for (const item of delivery.items) {
    const scope = item.website?.id ?? item.organizationId;
    const salt = salts.saltFor(scope, item.website?.visitorIdentity ?? 'daily', item.at);
    if (salt instanceof Promise) pending.push(salt.then((found) => nameItem(delivery, item, found)));
    else nameItem(delivery, item, salt);
  }
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

function nameItem(delivery: Delivery, item: Item, salt: Buffer): void {
  const recognisable = item.payload.recognisable && delivery.caller !== null;
  const hash = recognisable ? plainHash : (kind: HashedKind, value: string) => saltedHash(salt, kind, value);
  const { anonymousId, profileId, sessionId } = item.payload;
  if (anonymousId !== null) item.visitorId = hash('anonymous', anonymousId);
  else if (profileId !== null) item.visitorId = hash('profile', profileId);
  else if (delivery.caller === null) item.visitorId = saltedHash(salt, 'browser', browserOf(delivery));
  if (sessionId !== null) item.sessionId = hash('session', sessionId);
}

const browserOf = ({ address, userAgent }: Delivery): string => `${address ?? ''}\n${userAgent ?? ''}`;
