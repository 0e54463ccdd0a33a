import { fork } from 'node:child_process';
import { readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { memoryMb } from '@ledgerline/platform/config/settings';
import type { LogFile } from '../log-file';
import { freePort } from '../ports';
import { Service, type ServiceDescription } from '../service';
import { type Cluster, POSTGRES_USER } from './cluster';
import type { PostgresHostOptions } from './host';

export interface EmbeddedPostgres extends Pick<ServiceDescription, 'onStart' | 'onDeath' | 'policy'> {
  readonly cluster: Cluster;
  readonly port: number;
  readonly url: string;
  /** The compiled host program of the server. */
  readonly host: string;
  /** On its command line, so that a later start recognises the process. */
  readonly dataDir: string;
  readonly log: LogFile;
  /** The memory of the machine, by which its buffers are chosen; absent = as it is. */
  readonly memoryMb?: number | undefined;
}

const DATABASE = 'ledgerline';

export const embeddedUrl = (port: number, password: string) =>
  `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/${DATABASE}`;

/** The embedded server as a supervised process; it is ready when its database exists and accepts connections. */
export function postgresService(postgres: EmbeddedPostgres): Service {
  const { cluster, port, url } = postgres;
  const order: PostgresHostOptions = {
    postgres: cluster.postgres,
    directory: cluster.directory,
    flags: postgresFlags(port, postgres.memoryMb),
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

function forkHost({ host, dataDir }: EmbeddedPostgres, order: PostgresHostOptions, log: number) {
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

const MB = 1024 * 1024;

/** Flags of the embedded server: reachable from this machine only, durable, sized for a machine shared with the apps. */
export function postgresFlags(port: number, memory = memoryMb()): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200, // two of each process, too
    shared_buffers: `${Math.round(between(128, memory / 8, 1024))}MB`,
    effective_cache_size: `${Math.round(between(256, memory / 2, 16_384))}MB`,
    work_mem: '32MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    log_checkpoints: 'off',
    log_error_verbosity: 'terse', // details are the values of rows, such as addresses
    ...(sharedMemoryIsScarce() ? { max_parallel_workers_per_gather: 0 } : {}),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Containers have 64 MB for it by default, and a parallel query that finds none fails. */
function sharedMemoryIsScarce(): boolean {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    return bsize * blocks < 512 * MB;
  } catch {
    return false;
  }
}

const between = (low: number, value: number, high: number) => Math.min(Math.max(value, low), high);
