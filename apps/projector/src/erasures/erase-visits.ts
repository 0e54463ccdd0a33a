import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import { alone } from '../rebuild/rebuild';
import { openLivePartition } from '../reconcile/log-part';
import { repairSubject } from '../reconcile/repair';
import type { BoundGroup } from '../runner/bound-group';
import { reviseVersions } from '../runner/parked-events';
import { dropVersions } from '../versions/version-tables';
import { ERASED_HITS, type ErasedVisits } from './erased-hits';

/** Whether the tables of a group have hits of visitors. */
export const hasVisits = ({ name }: Pick<BoundGroup, 'name'>): boolean => name in ERASED_HITS;

/**
 * Takes visits out of all tables of a group, also out of those that answered before: every reader of the log leaves these
 * hits out from now on, and their websites and links are repaired from it, each in one transaction with its hits and with
 * what comparing has found. Answers the erasures that were due.
 * @throws RebuiltElsewhere while the group is being rebuilt
 */
export async function eraseVisits(
  group: BoundGroup,
  erasures: readonly ErasedVisits[],
): Promise<readonly ErasedVisits[]> {
  const log = group.log as LogReader<LoggedHit>; // groups with visits read the intake log
  const epoch = await log.epoch();
  const due = await dueOf(group, epoch, erasures);
  if (due.length === 0) return due;
  await alone(group, async () => {
    const found = (await ERASED_HITS[group.name]?.(log, due)) ?? [];
    const own = new Set(found.map(({ partition }) => partition).filter((each) => serves(group.share, each)));
    for (const partition of own) {
      const hits = found.filter((hit) => hit.partition === partition);
      for (const subject of new Set(hits.map((hit) => hit.subject))) {
        const cursors = hits.filter((hit) => hit.subject === subject).map(({ cursor }) => cursor);
        await repairSubject(group, await openLivePartition(group, partition), { subject, days: [] }, cursors);
      }
      await reviseVersions(group.pool, group.name, [partition]);
    }
    if (own.size > 0) await dropVersions(group, (layout) => ({ ...layout, previous: null }));
    await noteErased(group, epoch, due);
  });
  return due;
}

/** Those that this log was not looked through for. */
async function dueOf({ pool, name }: BoundGroup, epoch: string, erasures: readonly ErasedVisits[]) {
  const done = await run<{ id: string }>(
    pool,
    sql`select erasure_id as id from erased_visits where projection_group = ${name} and epoch = ${epoch}`,
  );
  const ids = new Set(done.map(({ id }) => id));
  return erasures.filter(({ erasureId }) => !ids.has(erasureId));
}

const noteErased = ({ pool, name }: BoundGroup, epoch: string, erased: readonly ErasedVisits[]) =>
  run(
    pool,
    sql`insert into erased_visits (erasure_id, projection_group, epoch)
        select id, ${name}, ${epoch} from unnest(${erased.map(({ erasureId }) => erasureId)}::text[]) as erased (id)
        on conflict (erasure_id, projection_group) do update set epoch = excluded.epoch, erased_at = clock_timestamp()`,
  );
