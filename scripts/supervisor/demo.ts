import { writePrivately } from '@ledgerline/platform/config/private-file';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses, FirstRun } from './screen';

export const firstRunFile = (dataDir: string) => join(dataDir, 'first-run.json');

/** The demo, if this start made it: the api writes it before it answers. */
export function demoMadeSince(dataDir: string, since: number): FirstRun | undefined {
  const file = firstRunFile(dataDir);
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || writtenAt < since) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as FirstRun;
}

/** Keeps the demo's file true where the product answers at other addresses than at the start that wrote it. */
export function moveDemo(dataDir: string, { apiUrl, trackUrl }: Addresses): void {
  const demo = demoIn(dataDir);
  if (!demo || (demo.apiUrl === apiUrl && demo.trackUrl === trackUrl)) return;
  const slug = demo.shortUrl.slice(demo.shortUrl.lastIndexOf('/') + 1);
  writePrivately(firstRunFile(dataDir), { ...demo, apiUrl, trackUrl, shortUrl: `${trackUrl}/${slug}` });
}

/** Undefined also where somebody edited it into something else: no reason not to start. */
function demoIn(dataDir: string): FirstRun | undefined {
  try {
    const demo = JSON.parse(readFileSync(firstRunFile(dataDir), 'utf8')) as Partial<FirstRun> | null;
    return typeof demo?.shortUrl === 'string' ? (demo as FirstRun) : undefined;
  } catch {
    return undefined;
  }
}
