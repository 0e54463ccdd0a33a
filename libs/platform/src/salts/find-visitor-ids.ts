import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import { INSTALLATION, derivedSalt, plainHash, saltedHash } from './visitor-salts';

/** The visitors that an anonymous id of a website is in its log. */
interface FoundVisitorIds {
  /** Without those of which the salt is gone. */
  readonly visitors: readonly string[];
  /** The periods of the website's identity of which the salt exists. */
  readonly reached: readonly string[];
}

interface StoredSalt {
  readonly scope: string;
  readonly period: string;
  readonly salt: Buffer;
}

const PERIODS: Readonly<Record<VisitorIdentity, RegExp>> = {
  daily: /^\d{4}-\d\d-\d\d$/,
  monthly: /^\d{4}-\d\d$/,
  stable: /^stable$/,
};

/** The ids that every salt of the website gives which exists still, and the one that servers may ask for. */
export async function findVisitorIds(
  on: Queryable,
  { websiteId, identity }: { readonly websiteId: string; readonly identity: VisitorIdentity },
  anonymousId: string,
): Promise<FoundVisitorIds> {
  const stored = await run<StoredSalt>(
    on,
    sql`select scope, period, salt from salts
        where scope in (${INSTALLATION}, ${websiteId}) and (dies_at is null or dies_at > now()) order by period`,
  );
  const own = new Map(stored.filter(({ scope }) => scope === websiteId).map(({ period, salt }) => [period, salt]));
  const derived = stored.filter(({ scope, period }) => scope === INSTALLATION && !own.has(period));
  const salts = new Map([
    ...own,
    ...derived.map(({ period, salt }) => [period, derivedSalt(salt, websiteId)] as const),
  ]);
  return {
    visitors: [
      ...[...salts.values()].map((salt) => saltedHash(salt, 'anonymous', anonymousId)),
      plainHash('anonymous', anonymousId),
    ],
    reached: [...salts.keys()].filter((period) => PERIODS[identity].test(period)).sort(),
  };
}
