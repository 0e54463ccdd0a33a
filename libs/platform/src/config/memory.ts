import { totalmem } from 'node:os';

const MB = 1024 * 1024;

/** MB that processes may take: those of the machine, or of the cgroup of this process where it has fewer. */
export const memoryMb = (machine = totalmem(), cgroup = process.constrainedMemory()): number =>
  Math.floor(Math.min(machine, cgroup || Infinity) / MB);
