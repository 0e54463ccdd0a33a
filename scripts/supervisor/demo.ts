import { writePrivately } from '@ledgerline/platform/config/private-file';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses, FirstRun } from './screen';

export const firstRunFile = (dataDir: string) => join(dataDir, 'first-run.json');

/** The demo, if this start created it: the api writes the file before it is ready. */
export function demoMadeSince(dataDir: string, since: number): FirstRun | undefined {
  const file = firstRunFile(dataDir);
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || writtenAt < since) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as FirstRun;
}

/** Updates the addresses in the demo's file when the product is started with other ones. */
export function moveDemo(dataDir: string, { apiUrl, trackUrl }: Addresses): void {
  const demo = demoIn(dataDir);
  if (!demo || (demo.apiUrl === apiUrl && demo.trackUrl === trackUrl)) return;
  const slug = demo.shortUrl.slice(demo.shortUrl.lastIndexOf('/') + 1);
  writePrivately(firstRunFile(dataDir), { ...demo, apiUrl, trackUrl, shortUrl: `${trackUrl}/${slug}` });
}

/** Undefined also if the file is not valid any more, which must not prevent a start. */
function demoIn(dataDir: string): FirstRun | undefined {
  try {
    const demo = JSON.parse(readFileSync(firstRunFile(dataDir), 'utf8')) as Partial<FirstRun> | null;
    return typeof demo?.shortUrl === 'string' ? (demo as FirstRun) : undefined;
  } catch {
    return undefined;
  }
}
