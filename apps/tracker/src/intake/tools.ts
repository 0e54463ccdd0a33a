import type { SaltCache } from '@ledgerline/platform/salts/salt-cache';
import type { Hit, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import type { Atlas } from '../geo/atlas';
import type { RateLimits } from '../http/rate-limits';
import type { RegistryLookup } from '../registry/registry-lookup';
import type { HitsPerVisitor } from '../visitors/hits-per-visitor';

/** What the steps need from outside. */
export interface Tools {
  readonly registry: Pick<RegistryLookup, 'website' | 'caller'>;
  readonly salts: Pick<SaltCache, 'saltFor'>;
  readonly atlas: Pick<Atlas, 'locate'>;
  readonly limits: Pick<RateLimits, 'take' | 'look'>;
  readonly hitsPerVisitor: Pick<HitsPerVisitor, 'mayBear'>;
  readonly recordHits: (hits: readonly Hit[]) => Promise<SendResult>;
}
