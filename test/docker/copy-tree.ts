import { copyFileSync, linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface TreeOptions {
  readonly keeps?: (path: string) => boolean;
  /** Hard links where both are on one disk, for files that nothing changes. */
  readonly links: boolean;
}

/** Copies a file, or the content of a folder. */
export function copyTree(from: string, to: string, options: TreeOptions): void {
  const entries = contentOf(from);
  mkdirSync(entries ? to : dirname(to), { recursive: true });
  if (!entries) copyFile(from, to, options);
  for (const entry of entries ?? []) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (options.keeps?.(source) === false) continue;
    if (entry.isDirectory()) copyTree(source, target, options);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFile(source, target, options);
  }
}

function contentOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function copyFile(source: string, target: string, { links }: TreeOptions): void {
  try {
    if (links) linkSync(source, target);
    else copyFileSync(source, target);
  } catch (error) {
    if (!links) throw error;
    copyFileSync(source, target);
  }
}
