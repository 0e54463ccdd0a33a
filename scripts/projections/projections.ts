import { parseArgs } from 'node:util';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { acceptStoppedTopic, requireMessageTags } from './accept-topic';
import { listCommand } from './list';
import { parked } from './parked';
import { prepareUpgrade } from './prepare';
import type { ProjectionCall, ProjectionCommand } from './projection-command';
import { drop, rebuildCommand, rollbackCommand, verify } from './rebuild';
import { reconcile } from './reconcile';
import { listSnapshots, removeSnapshot, snapshot } from './snapshots';

/** To add a command: a file with a {@link ProjectionCommand}, and its name here. The usage is in this order. */
const COMMANDS: readonly ProjectionCommand[] = [
  listCommand,
  prepareUpgrade,
  rebuildCommand,
  verify,
  reconcile,
  rollbackCommand,
  drop,
  snapshot,
  listSnapshots,
  removeSnapshot,
  parked,
  acceptStoppedTopic,
  requireMessageTags,
];

export const PROJECTIONS_USAGE = usageOf(COMMANDS);

/** @throws StartFailure for words that are no command, do not go together, or cannot be done */
export async function projections(args: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  const [name, ...rest] = args;
  if (name === undefined) throw new StartFailure(PROJECTIONS_USAGE);
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) throw new StartFailure(`There is no command "${name}".\n\n${PROJECTIONS_USAGE}`);
  await command.run({ ...read(rest, command), variables });
}

function read(args: string[], { takes, options = {} }: ProjectionCommand): Pick<ProjectionCall, 'words' | 'options'> {
  const { words, options: given } = parsed(args, options);
  if (takes !== undefined && words.length === 0) throw new StartFailure(PROJECTIONS_USAGE);
  if (takes === undefined && words.length > 0) throw new StartFailure(TOGETHER);
  return { words, options: given };
}

function parsed(args: string[], options: NonNullable<ProjectionCommand['options']>) {
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    return { words: positionals, options: values };
  } catch (error) {
    throw new StartFailure(TOGETHER, { cause: error });
  }
}

const TOGETHER = `These arguments do not go together.\n\n${PROJECTIONS_USAGE}`;

function usageOf(commands: readonly ProjectionCommand[]): string {
  const lines = commands.flatMap(({ name, takes = '', meaning, options = {} }) => [
    { typed: `npm run projections -- ${name} ${takes}`.trim(), meaning },
    ...Object.entries(options).map(([option, { type, meaning: its }]) => {
      return { typed: `    --${option}${type === 'string' ? ' TEXT' : ''}`, meaning: its };
    }),
  ]);
  const width = Math.max(...lines.map(({ typed }) => typed.length)) + 3;
  return ['Usage:', ...lines.map(({ typed, meaning }) => `  ${typed.padEnd(width)}${meaning}`)].join('\n');
}
