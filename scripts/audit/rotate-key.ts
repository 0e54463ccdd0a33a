import type { KeyObject } from 'node:crypto';
import type { Pool } from 'pg';
import { loadSigningKey } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { UNACKNOWLEDGED } from '@ledgerline/platform/event-store/verify-chain';
import type { Installation } from '../migrate-store/installation';
import { readText } from './kept-proofs';
import { explained } from './reseal-history';

/** The private key in a file, in a form that AUDIT_SIGNING_KEY may have. @throws StartFailure */
export function readNewKey(path: string): KeyObject {
  return loadSigningKey({ AUDIT_SIGNING_KEY: readText(path).trim() });
}

interface Stores {
  readonly store: EventStore;
  readonly pool: Pool;
}

/** The signed statements of an installation; with a key that replaces its own. */
export function statementsOf(
  { signingKey, eventStoreUrl, statementFile: file }: Installation,
  { store, pool: database }: Stores,
  newKey?: KeyObject,
): StatementChain {
  const keys = newKey ? { key: newKey, formerKey: signingKey } : { key: signingKey };
  return new StatementChain({ database, file, ...keys, log: eventStoreUrl === undefined ? undefined : store });
}

/**
 * Has a new key vouch for the installation's, so that what that one signed counts on, and renews what this machine
 * remembers. May be run again, as on the machine of another projector. Answers the id of the new key. @throws StartFailure
 */
export async function rotateKey(installation: Installation, stores: Stores, key: KeyObject): Promise<string> {
  if (keyIdOf(key) === keyIdOf(installation.signingKey))
    throw new StartFailure('The new key is the one that AUDIT_SIGNING_KEY holds already.');
  await addPublicKey(stores.pool, key);
  await explained(() => statementsOf(installation, stores, key).vouch());
  return keyIdOf(key);
}

/**
 * Has the signed statements count as the database holds them, where a projector remembers none of them. Answers the number
 * of the newest. @throws StartFailure
 */
export async function acknowledge(installation: Installation, stores: Stores): Promise<number> {
  const number = await explained(() => statementsOf(installation, stores).vouch());
  await run(stores.pool, sql`delete from sealing_faults where organization = ${UNACKNOWLEDGED}`);
  return number;
}
