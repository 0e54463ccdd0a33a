import { readdirSync, readFileSync } from 'node:fs';
import { systemErrorCode } from '@ledgerline/platform/config/start-failure';

const TICKS_PER_SECOND = 100; // on all common Linux systems
/** Fields of /proc/<pid>/stat, counted after the name: parent, then user, system, and both of ended children. */
const PARENT = 1;
const TIMES = [11, 12, 13, 14] as const;

/**
 * CPU seconds that these processes and everything below them have used; NaN where there is no /proc. On a machine that
 * is busy with other work it is more reliable than a clock.
 */
export const cpuSeconds = (roots: readonly number[]): number =>
  sumBelow(roots, (_, { ticks }) => ticks / TICKS_PER_SECOND);

/**
 * Megabytes that these processes and everything below them hold (PSS: a page of several processes counts once in all);
 * NaN where that cannot be read. It takes CPU: the kernel walks through all their pages.
 */
export const memoryMegabytes = (roots: readonly number[]): number =>
  sumBelow(roots, (pid) => {
    const [, kilobytes = 0] = /^Pss:\s+(\d+) kB$/m.exec(readOfProcess(pid, 'smaps_rollup')) ?? [];
    return Number(kilobytes) / 1024;
  });

interface Stat {
  readonly parent: number;
  readonly ticks: number;
}

function sumBelow(roots: readonly number[], read: (pid: number, stat: Stat) => number): number {
  try {
    const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : [])));
    const isBelow = (pid: number | undefined): boolean =>
      pid !== undefined && (roots.includes(pid) || isBelow(all.get(pid)?.parent));
    let sum = 0;
    for (const [pid, stat] of all) if (isBelow(pid)) sum += read(pid, stat);
    return sum;
  } catch {
    return NaN;
  }
}

function readStat(pid: number): [number, Stat][] {
  const stat = readOfProcess(pid, 'stat');
  if (stat === '') return [];
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // TRICKY: the name before it may hold spaces
  const ticks = TIMES.reduce((sum, field) => sum + Number(fields[field]), 0);
  return [[pid, { parent: Number(fields[PARENT]), ticks }]];
}

/** Empty for a process that ended meanwhile. */
function readOfProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(systemErrorCode(error) ?? '')) return '';
    throw error;
  }
}
