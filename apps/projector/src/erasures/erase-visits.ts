import type { ErasureRule } from '@ledgerline/domain/erasures/erasure-rules';
import type { ReadPart } from '@ledgerline/platform/intake-log/hits-in';
import { type LoggedHit, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type LogReader } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { alone } from '../rebuild/rebuild';
import { openLivePartition } from '../reconcile/log-part';
import { eraseSubject } from '../reconcile/repair';
import type { BoundGroup } from '../runner/bound-group';
import { readCheckpoint } from '../runner/checkpoint';
import { readParkedCursors, reviseVersions } from '../runner/parked-events';
import { dropVersions } from '../versions/version-tables';
import type { DecidedErasures } from './decided-erasures';
import { findErased, findIdentified } from './erased-hits';
import { deleteFindings, erasedKinds, insertRules, noteRepaired, readDue, readFindings } from '../runner/erasure-rules';

/**
 * Puts the rules of erasures in force in a group of a read store, and takes what they are about out of its tables, also
 * out of those that answered before: websites and links are repaired from the log, each in one transaction with what
 * comparing has found. What batches and the log show of erased visitors is added to their erasures. Answers the rules
 * that were carried out.
 * @throws RebuiltElsewhere while the group is being rebuilt
 */
export async function eraseVisits(group: BoundGroup, decided: DecidedErasures): Promise<readonly ErasureRule[]> {
  const { pool, name } = group;
  const findings = await readFindings(pool);
  await decided.record(findings);
  if (findings.length > 0) await deleteFindings(pool, findings);
  const kinds = erasedKinds(name);
  let erased: readonly ErasureRule[] = [];
  await decided.readOn(async (added) => {
    const own = added.filter(({ kind }) => kinds.includes(kind));
    const epoch = await group.log.epoch();
    if (own.length === 0 && (await readDue(pool, name, epoch)).length === 0) return;
    erased = await alone(group, () => carryOut(group, decided, own, epoch));
  });
  return erased;
}

async function carryOut(
  group: BoundGroup,
  decided: DecidedErasures,
  added: readonly ErasureRule[],
  epoch: string,
): Promise<readonly ErasureRule[]> {
  const { pool, name } = group;
  if (added.length > 0) await insertRules(pool, added);
  const begun = await readDue(pool, name, epoch);
  if (begun.length === 0) return begun;
  await reviseVersions(pool, name, null); // no batch that was read without the rules is written from now on
  const partitions = await ownPartitions(group);
  for (const { partition, rules } of partitions(begun)) {
    const identified = await findIdentified(await partOf(group, partition), rules);
    await decided.record(identified);
    if (identified.length > 0 && (await insertRules(pool, identified)).length > 0)
      await reviseVersions(pool, name, [partition]);
  }
  const due = await readDue(pool, name, epoch);
  for (const { partition, rules } of partitions(due)) await eraseIn(group, decided, partition, rules);
  await noteRepaired(pool, due, epoch);
  return due;
}

/**
 * Repairs what the rules are about, also where the log has none of it: a store that was restored has what another one has
 * erased, and a batch that was read without the rules has left its texts.
 */
async function eraseIn(
  group: BoundGroup,
  decided: DecidedErasures,
  partition: number,
  due: readonly ErasureRule[],
): Promise<void> {
  const { pool, name, log } = group;
  const parked = await readParkedCursors(pool, { group: name, partition }, await log.epoch());
  const { cursors, clicks } = await findErased(await partOf(group, partition), group.types, due, parked);
  await decided.record(clicks);
  await dropVersions(group, (layout) => ({ ...layout, previous: null }));
  for (const subject of new Set(due.map((rule) => rule.subject)))
    await eraseSubject(group, await openLivePartition(group, partition), subject, cursors);
  await reviseVersions(pool, name, [partition]);
}

/** Divides rules by the partitions that the store serves, without those that none is about. */
async function ownPartitions({ log, share }: BoundGroup) {
  const partitions = await log.partitions();
  const all = Array.from({ length: partitions }, (_, partition) => partition);
  return (due: readonly ErasureRule[]) =>
    all
      .filter((partition) => serves(share, partition))
      .map((partition) => ({
        partition,
        rules: due.filter(({ subject }) => partitionOf(subject, partitions) === partition),
      }))
      .filter(({ rules }) => rules.length > 0);
}

/** What of a partition is projected. */
async function partOf({ pool, name, log }: BoundGroup, partition: number): Promise<ReadPart> {
  const version = (await readLayout(pool, name))?.version ?? 1;
  const upTo = (await readCheckpoint(pool, { group: name, version, partition }))?.cursor ?? BEGINNING;
  return { log: log as LogReader<LoggedHit>, partition, upTo }; // groups with visits read the intake log
}
