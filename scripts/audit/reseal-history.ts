import type { AuditLogResealed } from '@ledgerline/contracts/events/audit-log.events';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import type { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import {
  ALL_ORGANIZATIONS,
  readSealingFault,
  readSealingFaults,
  SealingFault,
} from '@ledgerline/platform/event-store/sealing-faults';
import { sealAnew } from '@ledgerline/platform/event-store/seal-anew';
import type { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { resealStream } from '@ledgerline/platform/event-store/streams';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import type { Pool } from 'pg';
import { newId } from '../../apps/api/src/commands/idempotency-store';
import { recordBySystem } from './record-by-system';

interface Audited {
  readonly store: EventStore;
  readonly signer: HeadSigner;
  readonly pool: Pool;
  /** Of the operator, for the audit log. */
  readonly reason: string;
}

interface AuditedInPostgres extends Audited {
  readonly statements: StatementChain;
}

/**
 * Records that a history which does not lead on from what was sealed, or cannot be sealed on, is sealed as it is now, then
 * does it. @throws StartFailure
 */
export async function resealHistory(
  audited: Audited,
  organizationId: string,
  seal: () => Promise<ChainHead>,
): Promise<ChainHead> {
  const { store, signer, pool } = audited;
  const { all: heads, unsigned } = await signer.heads(organizationId);
  const { valid } = await verifyChain(store, organizationId, { heads, signedBy: await signer.publicKeys() });
  const fault = await readSealingFault(pool, organizationId);
  if (valid && !unsigned && fault === undefined)
    throw new StartFailure(`There is nothing to decide: the history of ${organizationId} is as it was sealed.`);
  await record(audited, organizationId);
  return seal();
}

/** The same on Postgres. @throws StartFailure */
export async function resealInPostgres(audited: AuditedInPostgres, organizationId: string): Promise<ChainHead> {
  const { store, pool, statements } = audited;
  return explained(async () => {
    await statements.readOn(); // before anything is recorded
    return resealHistory(audited, organizationId, () => sealAnew(store, pool, organizationId, statements));
  });
}

/**
 * For a database whose signed statements are not those that were made, as after a restored backup: records in the audit log
 * of each organization that all histories are signed as they are, then begins the statements anew. Answers how many
 * organizations these are. @throws StartFailure
 */
export async function resealAll(audited: AuditedInPostgres): Promise<number> {
  const { pool, statements, reason } = audited;
  if (await isAsSigned(audited))
    throw new StartFailure('There is nothing to decide: the signed heads are those that were made.');
  const rows = await run<{ organization: string }>(
    pool,
    sql`select organization from organization_chains where revision >= 0 and organization <> 'global' order by 1`,
  );
  for (const { organization } of rows) await record(audited, organization);
  await explained(() => statements.restart(reason));
  return rows.length;
}

async function isAsSigned({ pool, statements }: AuditedInPostgres): Promise<boolean> {
  const faults = await readSealingFaults(pool);
  if (faults.some(({ organization }) => organization === ALL_ORGANIZATIONS)) return false;
  try {
    await statements.readOn();
    return true;
  } catch (error) {
    if (error instanceof SealingFault) return false;
    throw error;
  }
}

async function record({ store, signer, reason }: Audited, organizationId: string): Promise<void> {
  const { signed } = await signer.heads(organizationId);
  const resealId = newId('seal');
  const lost = signed && { revision: signed.revision, hash: signed.hash };
  const data = { organizationId, resealId, reason, lost } satisfies AuditLogResealed['data'];
  const stream = resealStream(organizationId, resealId);
  await recordBySystem(store, stream, 'ResealAuditLog', { type: 'AuditLogResealed', data });
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SealingFault ? new StartFailure(error.message) : error;
  }
}
