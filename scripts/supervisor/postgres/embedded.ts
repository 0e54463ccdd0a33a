import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { LogFile } from '../log-file';
import { freePort } from '../ports';
import { Service, type ServiceDescription } from '../service';
import { POSTGRES_USER, type Cluster } from './cluster';
import { postgresFlags } from './flags';
import type { HostOptions } from './host';

export interface EmbeddedPostgres extends Pick<ServiceDescription, 'onStart' | 'onDeath' | 'policy'> {
  readonly cluster: Cluster;
  readonly port: number;
  readonly url: string;
  /** The compiled host program of the server. */
  readonly host: string;
  /** On its command line, so that a later start recognises the process. */
  readonly dataDir: string;
  readonly log: LogFile;
}

const DATABASE = 'ledgerline';

export const embeddedUrl = (port: number, password: string) =>
  `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${DATABASE}`;

/** The embedded server as a supervised process; it is ready when its database exists and accepts connections. */
export function postgresService(postgres: EmbeddedPostgres): Service {
  const { cluster, port, url } = postgres;
  const order: HostOptions = {
    postgres: cluster.postgres,
    directory: cluster.directory,
    flags: postgresFlags(port),
    owner: cluster.owner,
  };
  return new Service({
    ...postgres,
    name: 'postgres',
    start: () => postgres.log.open((log) => forkHost(postgres, order, log)),
    answers: () => databaseExists(url),
    lastOutput: () => postgres.log.lastOutput() || `see ${postgres.log.path}`,
    readyWithinMs: 15 * 60_000, // recovery after a crash replays what was written since the last checkpoint
    stopWithinMs: 60_000,
    hurryWith: 'SIGINT',
  });
}

function forkHost({ host, dataDir }: EmbeddedPostgres, order: HostOptions, log: number) {
  const stdio = ['ignore' as const, log, log, 'ipc' as const];
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return fork(host, [JSON.stringify(order), dataDir], { env, detached: true, execArgv: [], stdio });
}

async function databaseExists(url: string): Promise<boolean> {
  const maintenance = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  return query(maintenance, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
    return true;
  });
}

async function query<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The port of the last run where it is free, so that saved connection strings stay valid; else any free one. */
export async function choosePort(dataDir: string): Promise<number> {
  const file = join(dataDir, 'postgres-port');
  const port = await freePort(readPort(file));
  writeFileSync(file, `${port}\n`);
  return port;
}

function readPort(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}
