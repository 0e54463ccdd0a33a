import { NAMES, NAMES_MEANING } from './named-tables';
import type { ProjectionCommand } from './projection-command';
import { replay } from './replay';

export const rebuild: ProjectionCommand = {
  name: 'rebuild',
  takes: NAMES,
  meaning: `build new tables, compare them, switch to them; ${NAMES_MEANING}`,
  options: { accept: { type: 'boolean', meaning: 'switch although rows differ: the log is right as it is' } },
  run: ({ words, options, variables }) => replay(words, { flip: true, accept: options.accept === true }, variables),
};
