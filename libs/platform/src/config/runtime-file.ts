import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isAlive } from './is-alive';
import { StartFailure } from './start-failure';

/** What a running `npm start` tells the command-line tools, in `<data dir>/runtime.json` (mode 600). */
export interface Runtime {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly pids: Readonly<Record<string, number>>;
}

export const runtimeFile = (dataDir: string) => join(dataDir, 'runtime.json');

/** The database of the command-line tools: DATABASE_URL, else that of the running `npm start`. */
export function databaseUrlForTools(variables: Readonly<NodeJS.ProcessEnv>): string {
  const url = variables.DATABASE_URL?.trim();
  if (url) return url;
  const dataDir = resolve(variables.DATA_DIR?.trim() ?? '.data');
  const runtime = readRuntime(dataDir);
  if (runtime) return runtime.databaseUrl;
  throw new StartFailure('No database: run "npm start" in another terminal first, or set DATABASE_URL.');
}

/** What the `npm start` that uses this data directory said, or undefined where none is running. */
export function readRuntime(dataDir: string): Runtime | undefined {
  try {
    const runtime = JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')) as Runtime;
    return isAlive(runtime.pids.supervisor ?? 0) ? runtime : undefined;
  } catch {
    return undefined;
  }
}
