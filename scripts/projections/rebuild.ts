import type { ProjectionCommand } from './projection-command';
import { groupsNamed, NAMES, replay } from './replay';

export const rebuild: ProjectionCommand = {
  name: 'rebuild',
  takes: NAMES,
  meaning: 'build a new version, compare it, switch to it',
  options: { accept: { type: 'boolean', meaning: 'switch although rows differ: the log is right as it is' } },
  run: ({ words, options, variables }) =>
    replay(groupsNamed(words), { flip: true, accept: options.accept === true }, variables),
};
