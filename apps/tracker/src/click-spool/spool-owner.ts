import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive, processIdentity } from '@ledgerline/platform/config/processes';

/** A process of another container that has not touched its files for so long is taken for dead. */
export const SILENT_MS = 10_000;

const OWNER = /^([0-9a-f]{8})-(\d+)-([0-9a-f]{8})$/;
const FILE = /^clicks-(.+)-\d+-\d+\.ndjson$/;

/** The process that writes a file: its host and namespace, its id, and its start time, because ids are reused. */
export const ownerOf = (pid: number): string => `${HOST}-${pid}-${digest(processIdentity(pid) ?? '')}`;

/** Of empty files that a process left when it ended. */
export const freeOwner = (owner: string): string => `${FREE}${owner}`;
const FREE = 'free-';

/** The `number`th file of a process that started then, epoch ms; names sort by age. */
export const fileNameOf = (owner: string, startedAt: number, number: number): string =>
  `clicks-${owner}-${startedAt}-${String(number).padStart(6, '0')}.ndjson`;

/** The files in a spool's folder whose owner is dead, oldest first. */
export async function orphanedFiles(folder: string, ownOwner: string): Promise<{ name: string; bytes: number }[]> {
  const now = Date.now();
  const found: { name: string; bytes: number }[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, owner = ownOwner] = FILE.exec(name) ?? [];
    if (owner === ownOwner) continue;
    const file = await stat(join(folder, name)).catch(() => undefined);
    if (file !== undefined && !isRunning(owner, file.mtimeMs, now)) found.push({ name, bytes: file.size });
  }
  return found;
}

/** Where process ids mean the same, the process table decides; elsewhere, whether the file was touched lately. */
function isRunning(owner: string, touchedAt: number, now: number): boolean {
  if (owner.startsWith(FREE)) return false;
  const [, host, pid] = OWNER.exec(owner) ?? [];
  if (host !== HOST) return now - touchedAt < SILENT_MS;
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

const HOST = digest(`${hostname()}\n${pidNamespace()}`);
