import type { BoundGroup } from '../runner/bound-group';
import { CountersCheck } from './check-counters';
import { WebsitesCheck } from './check-websites';
import { COUNTERS } from './counters';
import { DayComparison } from './day-comparison';
import type { Finding } from './findings';
import { openLivePartition } from './live-partition';
import { ProvenDays } from './proven-days';
import { noteCompared, noteFinding, noteRepair, readClock } from './reconciliations';
import { repairSubject, type DifferingDays } from './repair';

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

/** Whether the tables of a group can be compared with its log. */
export const canReconcile = ({ name }: Pick<BoundGroup, 'name'>): boolean => name !== 'registry';

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
  const counters = COUNTERS[name];
  const live = await openLivePartition(group, partition, counters?.types);
  const report = async (finding: Finding) => onFinding(finding, await noteFinding(pool, of, finding));
  const check = counters ? new CountersCheck(live, counters) : new WebsitesCheck(live);
  const proven = onlyChanged ? await ProvenDays.open(pool, of, live.layout, await live.part.log.epoch()) : undefined;
  const days = await new DayComparison({ live, check, proven, report, rest }).run();
  await noteCompared(pool, of, since, days);
}

/** Makes the live tables hold what follows from the log of one subject, and notes what differed. */
export async function repair(group: BoundGroup, partition: number, of: DifferingDays): Promise<readonly Finding[]> {
  const repaired = await repairSubject(group, await openLivePartition(group, partition), of);
  await noteRepair(group.pool, { group: group.name, partition }, of.subject, repaired);
  return repaired;
}
