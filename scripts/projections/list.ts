import { listProjections } from '../../apps/projector/src/rebuild/list-projections';
import type { ProjectionCommand } from './projection-command';
import { standingTable } from './standing-table';
import { withGroups } from './with-groups';

export const list: ProjectionCommand = {
  name: 'list',
  meaning: 'the position of each partition',
  run: ({ variables }) =>
    withGroups(variables, async (groups) => {
      process.stdout.write(`${standingTable(await listProjections(groups))}\n`);
    }),
};
