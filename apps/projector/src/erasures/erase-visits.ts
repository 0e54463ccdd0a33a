import { setTimeout } from 'node:timers/promises';
import type { ErasureRule } from '@ledgerline/domain/erasures/erasure-rules';
import type { ReadPart } from '@ledgerline/platform/intake-log/hits-in';
import { type LoggedHit, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type LogReader } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import { hasEveryRollup } from '../compaction/keep-expired';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import { withRebuildLock } from '../rebuild/rebuild';
import { openLivePartition } from '../reconcile/log-part';
import { eraseSubject } from '../reconcile/repair';
import type { BoundGroup } from '../runner/bound-group';
import { readCheckpoint } from '../runner/checkpoint';
import { deleteFindings, erasedKinds, insertRules, noteRepaired, readDue, readFindings } from '../runner/erasure-rules';
import { readParkedCursors, reviseVersions } from '../runner/parked-events';
import { resolveTables } from '../versions/program-tables';
import { dropVersions } from '../versions/version-tables';
import type { DecidedErasures } from './decided-erasures';
import { eraseVisitors } from './erase-visitors';
import { findErased, findIdentified } from './erased-hits';

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
  const erased: ErasureRule[] = [];
  await decided.readOn(async (added) => {
    const own = added.filter(({ kind }) => kinds.includes(kind));
    const visits = own.filter(isOfVisits);
    const expired = own.filter((rule) => !isOfVisits(rule));
    const epoch = await group.log.epoch();
    const begun = await readDue(pool, name, epoch);
    if (own.length === 0 && begun.length === 0) return;
    const carryOutAll = async (due: readonly ErasureRule[]) => {
      erased.push(...(await carryOut(group, decided, due, epoch)));
    };
    await withRebuildLock(group, async () => {
      // TRICKY: one after the other, as what is kept of expired days is without visits that are erased
      await carryOutAll(begun);
      await carryOutAll(await insertRules(pool, visits));
      if (expired.length === 0) return;
      await assertComplete(group);
      await carryOutAll(await insertRules(pool, expired));
    });
  });
  return erased;
}

const isOfVisits = ({ kind }: ErasureRule): boolean => kind !== 'expired';

/** The time for which one waits for the tables to have what the log has. */
const COMPLETE_MS = 10_000;
/** The time between two looks at that. */
const LOOK_EVERY_MS = 100;

/** Expired days are counted before they are taken out. @throws RebuiltElsewhere while tables lack some of the log, or rollups */
async function assertComplete(group: BoundGroup): Promise<void> {
  const { pool, name, log, share } = group;
  const { version, tables } = await resolveTables(pool, group, 'live');
  if (!hasEveryRollup(tables)) throw new RebuiltElsewhere(`Rollups of ${name} are being filled.`);
  const end = performance.now() + COMPLETE_MS;
  for (let partition = 0; partition < (await log.partitions()); partition++) {
    const head = await log.head(partition);
    const key = { group: name, version, partition };
    const lacks = async () => log.compare((await readCheckpoint(pool, key))?.cursor ?? BEGINNING, head) < 0;
    while (serves(share, partition) && (await lacks())) {
      if (performance.now() > end) throw new RebuiltElsewhere(`The tables of ${name} lack some of the log.`);
      await setTimeout(LOOK_EVERY_MS);
    }
  }
}

async function carryOut(
  group: BoundGroup,
  decided: DecidedErasures,
  begun: readonly ErasureRule[],
  epoch: string,
): Promise<readonly ErasureRule[]> {
  const { pool, name } = group;
  if (begun.length === 0) return begun;
  await reviseVersions(pool, name, null); // no batch that was read without the rules is written from now on
  const partitions = await ownPartitions(group);
  const due = [...begun];
  for (const { partition, rules } of partitions(begun)) {
    const identified = await findIdentified(await partOf(group, partition), rules);
    await decided.record(identified);
    const inserted = await insertRules(pool, identified);
    if (inserted.length > 0) await reviseVersions(pool, name, [partition]);
    due.push(...inserted);
  }
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
  const part = await partOf(group, partition);
  const { erased, later, isWhole, cursors, clicks } = await findErased(part, group.types, due, parked);
  await decided.record(clicks);
  const repaired = new Set([...erased.keys(), ...due.filter(isOfVisits).map(({ subject }) => subject)]);
  if (repaired.size === 0) return;
  await dropVersions(group, (layout) => ({ ...layout, previous: null }));
  for (const subject of repaired) {
    const live = await openLivePartition(group, partition);
    const rules = due.filter((rule) => rule.subject === subject);
    const hits = erased.get(subject) ?? [];
    const visitors = {
      websiteId: subject,
      rules,
      part,
      erased: hits,
      later: later.get(subject) ?? [],
      parked: cursors,
    };
    const isErased =
      group.name === 'websites' && isWhole && rules.every(isOfVisits) && (await eraseVisitors(group, live, visitors));
    if (!isErased) await eraseSubject(group, live, subject, cursors);
  }
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

/** Also what is not projected yet: batches that are not written have read it. */
async function partOf({ log }: BoundGroup, partition: number): Promise<ReadPart> {
  return { log: log as LogReader<LoggedHit>, partition, upTo: await log.head(partition) }; // groups with visits read the intake log
}
