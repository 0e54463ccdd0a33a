import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { BoundGroup } from '../runner/bound-group';
import { LINKS, MONITORS } from './counters';
import { DayComparison, type SubjectTables } from './day-comparison';
import type { Finding } from './findings';
import { openLivePartition } from './live-partition';
import { ProvenDays } from './proven-days';
import { noteCompared, noteFinding, noteRepair, readClock } from './reconciliations';
import { repairSubject, type DifferingDays } from './repair';
import { WEBSITES } from './websites';

interface Comparison {
  readonly group: BoundGroup;
  readonly partition: number;
  /** Whether days are left out that are as they were when they were compared last. */
  readonly onlyChanged: boolean;
  /** Called between pieces of work, outside of transactions. */
  readonly rest: () => Promise<void>;
  /** Called for each finding; `isNew` = it was not found before. */
  readonly onFinding: (finding: Finding, isNew: boolean) => void;
}

const TABLES: Readonly<Partial<Record<Group, SubjectTables>>> = {
  websites: WEBSITES,
  links: LINKS,
  monitors: MONITORS,
};

/** Whether the tables of a group can be compared with its log. */
export const canReconcile = ({ name }: Pick<BoundGroup, 'name'>): boolean => name in TABLES;

function tablesOf({ name }: BoundGroup): SubjectTables {
  const tables = TABLES[name];
  if (!tables) throw new RangeError(`The tables of ${name} are not compared with its log.`);
  return tables;
}

/** Compares the live tables of a partition with its log, and notes what differs. */
export async function reconcilePartition({
  group,
  partition,
  onlyChanged,
  rest,
  onFinding,
}: Comparison): Promise<void> {
  const { pool, name } = group;
  const of = { group: name, partition };
  const since = await readClock(pool);
  const tables = tablesOf(group);
  const live = await openLivePartition(group, partition, tables.types);
  const report = async (finding: Finding) => onFinding(finding, await noteFinding(pool, of, finding));
  const counted = [live.layout, tables.countedAs ?? []].flat().join(' ');
  const proven = onlyChanged ? await ProvenDays.open(pool, of, counted, await live.part.log.epoch()) : undefined;
  const days = await new DayComparison({ live, tables, proven, report, rest }).run();
  await noteCompared(pool, of, since, days);
}

/** Makes the live tables hold what follows from the log of one subject, and notes what differed. */
export async function repair(group: BoundGroup, partition: number, of: DifferingDays): Promise<readonly Finding[]> {
  const tables = tablesOf(group);
  const repaired = await repairSubject(group, await openLivePartition(group, partition, tables.types), tables, of);
  await noteRepair(group.pool, { group: group.name, partition }, of.subject, repaired);
  return repaired;
}
