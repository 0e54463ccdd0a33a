import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { keepUp } from '@ledgerline/platform/database/read-model-upkeep';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { openPatientPool } from '../open-pool';
import type { MarkedGroup } from './mark';

/** Gives the tables of a version their further indexes, however long that takes; in one process at a time. */
export async function finishVersion(pool: Pool, { name, builds }: MarkedGroup, version: number): Promise<void> {
  const schema = schemaOf(name, version);
  const patient = openPatientPool(pool);
  try {
    await run(patient, sql`select pg_advisory_lock(hashtext(${`ledgerline indexes ${schema}`}))`); // until the end
    await keepUp(patient, schema, builds);
  } finally {
    await patient.end();
  }
}
