import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { FirstRun } from './screen';

const PATIENCE_MS = 30_000;

export const firstRunFile = (dataDir: string) => join(dataDir, 'first-run.json');

/** Whether nothing was ever decided here: then the api makes the demo. */
export async function storeIsEmpty(databaseUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ empty: boolean }>('select not exists (select from events) as empty');
    return rows[0]?.empty ?? false;
  } finally {
    await client.end();
  }
}

/** Waits until the api has written what it made; gives up silently, as the product runs without it too. */
export async function demoWritten(dataDir: string, since: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!demoMadeSince(dataDir, since) && Date.now() < deadline) await sleep(50);
}

/** The demo, if it was made by this start. */
export function demoMadeSince(dataDir: string, since: number): FirstRun | undefined {
  const file = firstRunFile(dataDir);
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return writtenAt < since ? undefined : parse(readFileSync(file, 'utf8'));
}

/** Undefined while it is being written. */
function parse(text: string): FirstRun | undefined {
  try {
    return JSON.parse(text) as FirstRun;
  } catch {
    return undefined;
  }
}
