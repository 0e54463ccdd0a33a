import type { KeyObject } from 'node:crypto';
import { loadSigningKey } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { UNACKNOWLEDGED } from '@ledgerline/platform/event-store/verify-chain';
import type { Pool } from 'pg';
import type { Installation } from '../migrate-store/installation';
import { readText } from './kept-proofs';
import { explained } from './reseal-history';

/** The private key in a file, in a form that AUDIT_SIGNING_KEY may have. @throws StartFailure */
export function readNewKey(path: string): KeyObject {
  return loadSigningKey({ AUDIT_SIGNING_KEY: readText(path).trim() });
}

/**
 * Has a new key vouch for the installation's, so that what that one signed counts on, and renews what this machine
 * remembers. May be run again, as on the machine of another projector. Answers the id of the new key. @throws StartFailure
 */
export async function rotateKey(
  { signingKey: formerKey, statementFile: file }: Installation,
  pool: Pool,
  key: KeyObject,
): Promise<string> {
  if (keyIdOf(key) === keyIdOf(formerKey))
    throw new StartFailure('The new key is the one that AUDIT_SIGNING_KEY holds already.');
  await addPublicKey(pool, key);
  await explained(() => new StatementChain({ database: pool, key, formerKey, file }).vouch());
  return keyIdOf(key);
}

/**
 * Has the signed statements count as the database holds them, where a projector remembers none of them. Answers the number
 * of the newest. @throws StartFailure
 */
export async function acknowledge(
  { signingKey: key, eventStoreUrl, statementFile: file }: Installation,
  pool: Pool,
): Promise<number> {
  if (eventStoreUrl !== undefined) throw new StartFailure('On EventStoreDB there is nothing to acknowledge.');
  const statements = new StatementChain({ database: pool, key, file });
  const number = await explained(() => statements.vouch());
  await run(pool, sql`delete from sealing_faults where organization = ${UNACKNOWLEDGED}`);
  return number;
}
