import { createInterface } from 'node:readline/promises';
import type { Pool } from 'pg';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { GROUPS } from '@ledgerline/contracts/read-models/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { isMissingTable, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { openPool } from '@ledgerline/platform/database/pool';
import { downtimeSentence, downtimesOf } from '../../apps/projector/src/versions/upgrade';

/**
 * Asks on a terminal whether to start although tables of this build are not filled; answers the variable that says so.
 * @throws StartFailure without a terminal, or where that is not wanted
 */
export async function acceptedDowntime(
  { acceptDowntime, databaseUrl: stated, readDatabaseUrls }: Settings,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<NodeJS.ProcessEnv> {
  if (acceptDowntime) return {};
  const urls = new Set([databaseUrl, ...readDatabaseUrls.filter((url) => url !== stated)]);
  const pools = [...urls].map((url) => openPool({ url, name: 'start', max: 1 }));
  const lines = await readAll(pools);
  if (lines.length === 0) return {};
  const sentence = downtimeSentence(lines);
  if (!process.stdin.isTTY) throw new StartFailure(sentence);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await terminal.question(`${sentence}\n\nStart without them? [y/N] `, { signal });
    if (/^y(es)?$/i.test(answer.trim())) return { ACCEPT_DOWNTIME: '1' };
  } finally {
    terminal.close();
  }
  throw new StartFailure('Nothing was started.');
}

async function readAll(pools: readonly Pool[]): Promise<readonly string[]> {
  try {
    return (await Promise.all(pools.map(downtimesIn))).flat();
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** A store that is away is the projector's to wait for, which asks the same of it. */
async function downtimesIn(pool: Pool): Promise<readonly string[]> {
  try {
    return await downtimesOf(GROUPS.map((group) => ({ ...GROUP_TABLES[group], pool })));
  } catch (error) {
    if (isMissingTable(error) || isUnavailable(error)) return [];
    throw error;
  }
}
