import { NAMES } from './named-tables';
import type { ProjectionCommand } from './projection-command';
import { replay } from './replay';

export const verify: ProjectionCommand = {
  name: 'verify',
  takes: NAMES,
  meaning: 'build new tables, compare them, drop them',
  run: ({ words, variables }) => replay(words, { flip: false }, variables),
};
