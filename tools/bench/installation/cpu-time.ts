import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // on all common Linux systems
/** Fields of /proc/<pid>/stat, counted after the name: parent, then user, system, and both of ended children. */
const [PARENT, TIMES] = [1, [11, 12, 13, 14]] as const;

/**
 * CPU seconds that these processes and everything below them have used; NaN where there is no /proc. On a machine that
 * is busy with other work it is more reliable than a clock.
 */
export function cpuSeconds(roots: readonly number[]): number {
  try {
    const all = new Map(readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : [])));
    const isBelow = (pid: number | undefined): boolean =>
      pid !== undefined && (roots.includes(pid) || isBelow(all.get(pid)?.parent));
    let ticks = 0;
    for (const [pid, stat] of all) if (isBelow(pid)) ticks += stat.ticks;
    return ticks / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

function readStat(pid: number): [number, { parent: number; ticks: number }][] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // TRICKY: the name before it may hold spaces
    const ticks = TIMES.reduce((sum, field) => sum + Number(fields[field]), 0);
    return [[pid, { parent: Number(fields[PARENT]), ticks }]];
  } catch {
    return []; // it ended meanwhile
  }
}
