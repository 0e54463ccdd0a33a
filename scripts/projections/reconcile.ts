import { serves } from '@ledgerline/platform/read-stores/read-stores';
import { describeFinding, type Finding } from '../../apps/projector/src/reconcile/findings';
import { reconcilePartition, repairFindings } from '../../apps/projector/src/reconcile/run-reconciling';
import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { type ProjectionCommand, withGroups } from './projection-command';

export const reconcile: ProjectionCommand = {
  name: 'reconcile',
  meaning: 'compare the tables with the log, day by day',
  options: { repair: { type: 'boolean', meaning: 'replace the rows that differ' } },
  run: ({ variables, options }) =>
    withGroups(variables, async (groups) => {
      const isRepaired = options['repair'] === true;
      let findings = 0;
      for (const group of groups) findings += await reconcileGroup(group, isRepaired);
      if (findings === 0) process.stdout.write('All tables are as the log says.\n');
      else if (!isRepaired) process.exitCode = 1;
    }),
};

/** Answers the number of findings. */
async function reconcileGroup(group: BoundGroup, isRepaired: boolean): Promise<number> {
  let findings = 0;
  const partitions = await group.log.partitions();
  for (let partition = 0; partition < partitions; partition++) {
    if (!serves(group.share, partition)) continue;
    const found: Finding[] = [];
    const onFinding = (finding: Finding) => {
      found.push(finding);
      process.stdout.write(`${describeFinding(finding)}\n`);
    };
    await reconcilePartition({ group, partition, goesOn: false, rest: () => Promise.resolve(), onFinding });
    findings += found.length;
    if (!isRepaired) continue;
    for await (const finding of repairFindings(group, partition, found))
      process.stdout.write(`repaired ${describeFinding(finding)}\n`);
  }
  return findings;
}
