import { dropPrevious, rollback as rollBack } from '../../apps/projector/src/rebuild/previous-version';
import { NAMES, nameOf, namedTables } from './named-tables';
import type { ProjectionCommand } from './projection-command';
import { withGroups } from './with-groups';

export const rollback: ProjectionCommand = {
  name: 'rollback',
  takes: NAMES,
  meaning: 'switch back to the tables before the last rebuild, which are kept current until the next one',
  run: ({ words, variables }) =>
    withGroups(variables, async (groups) => {
      for (const named of namedTables(groups, words)) {
        const version = await rollBack(named.group, named.tables);
        process.stdout.write(`${nameOf(named)} uses version ${version} again.\n`);
      }
    }),
};

export const drop: ProjectionCommand = {
  name: 'drop',
  takes: NAMES,
  meaning: 'drop the tables that are kept for a rollback',
  run: ({ words, variables }) =>
    withGroups(variables, async (groups) => {
      for (const named of namedTables(groups, words)) {
        await dropPrevious(named.group, named.tables);
        process.stdout.write(`Of ${nameOf(named)} nothing is kept from before the last rebuild.\n`);
      }
    }),
};
