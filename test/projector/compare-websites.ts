import type { Pool } from 'pg';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { NO_RULES } from '@ledgerline/domain/erasures/erasure-rules';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { WebsitesGroup } from '../../apps/projector/src/projections/websites/websites-group';
import { noteUncompared, type Finding } from '../../apps/projector/src/reconcile/findings';
import type { LivePartition } from '../../apps/projector/src/reconcile/log-part';
import { COMPARE } from '../../apps/projector/src/reconcile/run-reconciling';
import { StoredDigests } from '../../apps/projector/src/reconcile/stored-digests';
import { bind } from '../../apps/projector/src/runner/bound-group';
import { readCheckpoint, type CheckpointKey } from '../../apps/projector/src/runner/checkpoint';
import type { MemoryLog } from './memory-log';
import { tablesIn } from './tables-in';
import { IN_PIECES } from './website-versions';

const KEY: CheckpointKey = { group: 'websites', version: IN_PIECES, partition: 0 };

/** One of two versions as the one that answers. */
export const liveWebsites = async (pool: Pool, log: MemoryLog): Promise<LivePartition> => ({
  pool,
  log,
  cursorOf: (event) => String((event as LoggedHit).offset),
  tables: tablesIn(schemaOf('websites', IN_PIECES)),
  layout: (await readLayout(pool, 'websites'))?.id ?? '',
  key: KEY,
  hitIn: (event) => (event as LoggedHit).event,
  leftOut: new Set(),
  erased: NO_RULES,
  parkedRevision: (await readCheckpoint(pool, KEY))?.parkedRevision ?? 0,
});

/** Compares its tables with all of the log, or with what it has had since the last time. */
export async function compareWebsites(pool: Pool, log: MemoryLog, goesOn: boolean): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  await noteUncompared(pool, { group: 'websites', partition: 0 });
  const live = await liveWebsites(pool, log);
  const stored = goesOn ? await StoredDigests.open(live) : undefined;
  const report = (finding: Finding) => Promise.resolve(void findings.push(finding));
  const group = bind(new WebsitesGroup(pool), log, pool);
  await COMPARE.websites({ group, live, stored, report, rest: () => Promise.resolve() });
  return findings;
}
