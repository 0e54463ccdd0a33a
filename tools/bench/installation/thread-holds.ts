/**
 * Required before an app on Linux: writes how long its thread was busy at most between two turns of its event loop, ms of
 * CPU, to the file HELD_TO when it is asked to stop; waiting for a CPU does not count. SIGUSR2 begins anew.
 */
import { openSync, readSync, writeFileSync } from 'node:fs';

const NS_PER_MS = 1e6;
const file = openSync('/proc/thread-self/schedstat', 'r');
const buffer = Buffer.alloc(100);
let held = 0;
let before = cpuMs();

setInterval(() => {
  const now = cpuMs();
  held = Math.max(held, now - before);
  before = now;
}, 1).unref();

process.on('SIGUSR2', () => (held = 0));
process.once('SIGTERM', () => {
  if (process.env.HELD_TO) writeFileSync(process.env.HELD_TO, String(held));
});

/** Returns the ms of CPU of this thread so far. */
function cpuMs(): number {
  const size = readSync(file, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, size).split(' ')[0]) / NS_PER_MS;
}
