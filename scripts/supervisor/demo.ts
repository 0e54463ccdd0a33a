import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstRun } from './screen';

export const firstRunFile = (dataDir: string) => join(dataDir, 'first-run.json');

/** The demo, if this start made it: the api writes it before it answers. */
export function demoMadeSince(dataDir: string, since: number): FirstRun | undefined {
  const file = firstRunFile(dataDir);
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || writtenAt < since) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as FirstRun;
}
