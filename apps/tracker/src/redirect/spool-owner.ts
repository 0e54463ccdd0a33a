import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from '@ledgerline/platform/config/is-alive';
import { birthOf } from '@ledgerline/platform/config/processes';

/** A process of another container or machine that has not touched its files for so long is taken for dead. */
export const SILENT_MS = 10_000;

const OWNER = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})$/;

/** Who writes a file: where process ids mean the same, the process's id there, and its birth, as an id is used again. */
export const ownerOf = (pid: number): string => `${PLACE}-${pid}-${digest(birthOf(pid) ?? '')}`;

/** Whether that process still runs. Here the process tells; elsewhere it does as long as it touches its files. */
export function isRunning(owner: string, touchedAt: number, now: number): boolean {
  const [, place, pid] = OWNER.exec(owner) ?? [];
  if (place !== PLACE) return now - touchedAt < SILENT_MS;
  return isAlive(Number(pid)) && ownerOf(Number(pid)) === owner;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Two containers may have the same host name, and both have a process 1. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

const PLACE = digest(`${hostname()}\n${pidNamespace()}`);
