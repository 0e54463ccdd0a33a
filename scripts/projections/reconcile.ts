import { serves } from '@ledgerline/platform/read-stores/read-store';
import { describeFinding, type Finding, type SubjectDay } from '../../apps/projector/src/reconcile/findings';
import { canReconcile, reconcilePartition, repairDay } from '../../apps/projector/src/reconcile/reconcile-partition';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import type { ProjectionCommand } from './projection-command';
import { withGroups } from './with-groups';

export const reconcile: ProjectionCommand = {
  name: 'reconcile',
  meaning: 'compare the tables with the log, day by day',
  options: { repair: { type: 'boolean', meaning: 'make the days that differ anew' } },
  run: ({ variables, options: { repair = false } }) =>
    withGroups(variables, async (groups) => {
      let findings = 0;
      for (const group of groups.filter(canReconcile)) findings += await reconcileGroup(group, repair === true);
      if (findings === 0) process.stdout.write('All tables are as the log says.\n');
      else if (repair !== true) process.exitCode = 1;
    }),
};

/** Answers the number of findings. */
async function reconcileGroup(group: BoundGroup, repair: boolean): Promise<number> {
  let findings = 0;
  const partitions = await group.log.partitions();
  for (let partition = 0; partition < partitions; partition++) {
    if (!serves(group.share, partition)) continue;
    const found: Finding[] = [];
    const onFinding = (finding: Finding) => {
      found.push(finding);
      process.stdout.write(`${describeFinding(finding)}\n`);
    };
    await reconcilePartition({ group, partition, onlyChanged: false, rest: () => Promise.resolve(), onFinding });
    findings += found.length;
    if (!repair) continue;
    for (const { subject, day } of daysOf(found)) {
      const repaired = await repairDay(group, partition, { subject, day });
      for (const finding of repaired) process.stdout.write(`repaired ${describeFinding(finding)}\n`);
    }
  }
  return findings;
}

const daysOf = (findings: readonly Finding[]): Iterable<SubjectDay> =>
  new Map(findings.map(({ subject, day }) => [`${subject} ${day}`, { subject, day }])).values();
