import { SingleBar } from 'cli-progress';
import type { Difference } from '../../apps/projector/src/rebuild/difference';
import { describeDifferences } from '../../apps/projector/src/rebuild/describe-differences';
import { rebuild, type RebuildOptions, type RebuildResult } from '../../apps/projector/src/rebuild/rebuild';
import { nameOf, namedTables } from './named-tables';
import { recordAcceptance } from './record-acceptance';
import { withGroups } from './with-groups';

export type ReplayOptions = Pick<RebuildOptions, 'flip' | 'accept'>;

/** Rebuilds what is named, one group after the other, with a bar each, and prints the results. */
export const replay = (words: readonly string[], options: ReplayOptions, variables: NodeJS.ProcessEnv): Promise<void> =>
  withGroups(variables, async (groups, { eventStore, pool }) => {
    for (const named of namedTables(groups, words)) {
      const onAccept = (differences: readonly Difference[]) =>
        recordAcceptance(eventStore, pool, named.group.name, differences);
      const result = await withBar(nameOf(named), { ...named, ...options, onAccept });
      process.stdout.write(`${sentence(options, nameOf(named), result)}\n`);
      if (result.mended)
        process.stdout.write(
          `Texts that were changed got the texts of the log again:\n${describeDifferences([result.mended])}\n`,
        );
      if (!result.flipped && result.differences && result.differences.length > 0) process.exitCode = 1;
    }
  });

async function withBar(name: string, options: RebuildOptions): Promise<RebuildResult> {
  const format = `${name} [{bar}] {percentage}% | {value}/{total} events | {pace} | {duration_formatted}`;
  const bar = new SingleBar({ format, clearOnComplete: false, hideCursor: true });
  bar.start(1, 0, { pace: '' });
  let first: { readonly written: number; readonly at: number } | undefined; // an earlier process may have filled some
  try {
    const onProgress = (written: number, total: number) => {
      const at = performance.now();
      first ??= { written, at };
      bar.setTotal(Math.max(total, written, 1));
      bar.update(written, { pace: pace({ done: written - first.written, left: total - written }, at - first.at) });
    };
    return await rebuild({ ...options, onProgress });
  } finally {
    bar.stop();
  }
}

/** The rate of events, and how long the others take at this rate; empty before the first. */
export function pace({ done, left }: { readonly done: number; readonly left: number }, ms: number): string {
  const rate = done / (ms / 1000);
  if (!(rate > 0)) return '';
  const seconds = Math.ceil(Math.max(left, 0) / rate);
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const eta = `${Math.floor(seconds / 3600)}:${minutes}:${rest}`;
  return `${Math.round(rate).toLocaleString('en-US')} events/s | ETA ${eta}`;
}

/** What a replay has shown, for people. */
export function sentence(
  { flip }: ReplayOptions,
  name: string,
  { version, differences, flipped, flipMs }: RebuildResult,
): string {
  if (differences && differences.length > 0) {
    const outcome = flipped
      ? `the differences were accepted (--accept), and it now uses version ${version}`
      : 'the live version is unchanged';
    return `${name} differs from a rebuild from its log; ${outcome}:\n${describeDifferences(differences)}`;
  }
  if (!flip) return `${name} equals a rebuild from its log, row for row.`;
  const compared = differences
    ? 'equal row for row'
    : 'not compared, because the log was replaced, or the tables are of another program version or have more partitions';
  return flipped ? `${name} now uses version ${version} (${compared}; switched in ${flipMs.toFixed(1)} ms).` : name;
}
