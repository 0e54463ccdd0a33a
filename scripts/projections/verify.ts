import type { ProjectionCommand } from './projection-command';
import { groupsNamed, NAMES, replay } from './replay';

export const verify: ProjectionCommand = {
  name: 'verify',
  takes: NAMES,
  meaning: 'build a new version, compare it, drop it',
  run: ({ words, variables }) => replay(groupsNamed(words), { flip: false }, variables),
};
