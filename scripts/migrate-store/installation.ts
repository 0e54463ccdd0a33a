import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirOf, eventStoreIn, readRuntime } from '@ledgerline/platform/config/runtime-file';
import { loadSigningKey } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { embeddedVariables } from '../supervisor/environment';
import { lockDataDirectory, waitForOrphans } from '../supervisor/lock';
import { LogFile } from '../supervisor/log-file';
import { openCluster } from '../supervisor/postgres/cluster';
import { embeddedUrl, choosePort, postgresService } from '../supervisor/postgres/embedded';
import { loadSecrets, secretsFile } from '../supervisor/secrets';

/** The compiled program that hosts the embedded Postgres. */
const HOST = join(__dirname, '..', 'supervisor', 'postgres', 'host.js');

/** The parts of an installation that a tool needs to change it. */
export interface Installation {
  readonly databaseUrl: string;
  /** Where its decided events are kept in an EventStoreDB. */
  readonly eventStoreUrl?: string | undefined;
  readonly signingKey: KeyObject;
  /** Remembers the newest signed statement, where a process on this machine does so. */
  readonly statementFile?: string | undefined;
  /** True if an `npm start` of this data directory is running. */
  readonly isRunning: boolean;
  close(): Promise<void>;
}

/**
 * The installation of DATABASE_URL, else that of the data directory, whose Postgres is started if it is not running.
 * @throws StartFailure
 */
export async function openInstallation(
  variables: Readonly<NodeJS.ProcessEnv>,
  print: (line: string) => void,
): Promise<Installation> {
  const dataDir = dataDirOf(variables);
  const databaseUrl = variables.DATABASE_URL?.trim();
  const runtime = readRuntime(dataDir);
  const close = () => Promise.resolve();
  const remembered = statementFile(dataDir);
  const file = { statementFile: existsSync(remembered) ? remembered : undefined };
  const eventStoreUrl = runtime?.eventStoreUrl ?? eventStoreIn(variables);
  if (databaseUrl) {
    const isRunning = runtime?.databaseUrl === databaseUrl;
    return { databaseUrl, eventStoreUrl, signingKey: loadSigningKey(variables), isRunning, close, ...file };
  }
  if (!existsSync(secretsFile(dataDir)))
    throw new StartFailure(`There is no installation in ${dataDir}; set DATA_DIR, or DATABASE_URL.`);
  const secrets = loadSecrets(dataDir);
  const signingKey = loadSigningKey({ ...embeddedVariables('', secrets), ...variables });
  if (runtime) return { databaseUrl: runtime.databaseUrl, eventStoreUrl, signingKey, isRunning: true, close, ...file };
  const started = await startPostgres(dataDir, secrets.postgresPassword, print);
  return { ...started, eventStoreUrl, signingKey, ...file };
}

async function startPostgres(
  dataDir: string,
  password: string,
  print: (line: string) => void,
): Promise<Omit<Installation, 'eventStoreUrl' | 'signingKey'>> {
  const unlock = await lockDataDirectory(dataDir);
  try {
    await waitForOrphans(dataDir, print);
    const cluster = await openCluster(dataDir, password, print);
    const port = await choosePort(dataDir);
    const databaseUrl = embeddedUrl(port, password);
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
    const log = new LogFile(join(dataDir, 'logs'), 'postgres');
    const postgres = postgresService({ cluster, port, url: databaseUrl, host: HOST, log, dataDir });
    await Promise.race([postgres.run(), postgres.whenReady()]);
    return { databaseUrl, isRunning: false, close: () => postgres.stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}
