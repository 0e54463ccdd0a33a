import { GROUPS, type Group } from '@ledgerline/contracts/read-models/groups';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { storeName } from '@ledgerline/platform/read-stores/read-store';
import { SingleBar } from 'cli-progress';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { rebuild, type RebuildOptions, type RebuildResult } from '../../apps/projector/src/rebuild/rebuild';
import { withGroups } from './with-groups';

export const NAMES = `${GROUPS.join('|')}|all`;

/** The groups that a command is for. @throws StartFailure for a name that is none */
export function groupsNamed(words: readonly string[]): readonly Group[] {
  if (words.includes('all')) return GROUPS;
  const unknown = words.find((word) => !GROUPS.some((name) => name === word));
  if (unknown !== undefined)
    throw new StartFailure(
      `There is no group "${unknown}". The groups are ${GROUPS.join(', ')}; "all" means all of them.`,
    );
  return GROUPS.filter((name) => words.includes(name));
}

type ReplayOptions = Pick<RebuildOptions, 'flip' | 'accept'>;

/** Rebuilds groups one after the other, with a bar each, and prints the result. */
export const replay = (names: readonly Group[], options: ReplayOptions, variables: NodeJS.ProcessEnv): Promise<void> =>
  withGroups(variables, async (groups) => {
    for (const group of groups.filter(({ name }) => names.includes(name))) {
      const result = await withBar({ group, ...options });
      process.stdout.write(`${sentence(options, storeName(group.name, group.share), result)}\n`);
      if (!result.flipped && result.differences && result.differences.length > 0) process.exitCode = 1;
    }
  });

async function withBar(options: RebuildOptions): Promise<RebuildResult> {
  const name = storeName(options.group.name, options.group.share);
  const format = `${name} [{bar}] {percentage}% | {value}/{total} events | {duration_formatted}`;
  const bar = new SingleBar({ format, clearOnComplete: false, hideCursor: true });
  bar.start(1, 0);
  try {
    const onProgress = (written: number, total: number) => {
      bar.setTotal(Math.max(total, written, 1));
      bar.update(written);
    };
    return await rebuild({ ...options, onProgress });
  } catch (error) {
    throw error instanceof NotRebuilt ? new StartFailure(error.message) : error;
  } finally {
    bar.stop();
  }
}

/** What a replay has shown, for people. */
export function sentence(
  { flip }: ReplayOptions,
  name: string,
  { version, differences, flipped, flipMs }: RebuildResult,
): string {
  if (differences && differences.length > 0) {
    const tables = differences.map(({ table, onlyBefore, onlyAfter }) => {
      return `  ${table}: ${onlyBefore} rows only in the live version, ${onlyAfter} only in the rebuilt one`;
    });
    const outcome = flipped
      ? `the differences were accepted (--accept), and it now uses version ${version}`
      : 'the live version is unchanged';
    return [`${name} differs from a rebuild from its log; ${outcome}:`, ...tables].join('\n');
  }
  if (!flip) return `${name} equals a rebuild from its log, row for row.`;
  const compared = differences
    ? 'equal row for row'
    : 'not compared, because the log was replaced, or the tables are of another program version or have more partitions';
  return flipped ? `${name} now uses version ${version} (${compared}; switched in ${flipMs.toFixed(1)} ms).` : name;
}
