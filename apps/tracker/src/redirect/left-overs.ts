import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from './spool-owner';

const FILE = /^clicks-(.+)-\d+-\d+\.ndjson$/;

/** The files in a spool's folder that were written by a process that is no more, oldest first. */
export async function leftOvers(folder: string, ownOwner: string): Promise<{ name: string; bytes: number }[]> {
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
