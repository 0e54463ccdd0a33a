import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openCluster, POSTGRES_USER } from '../../scripts/supervisor/postgres/cluster';
import { freePort } from '../../scripts/supervisor/ports';
import { createTemplate } from './test-database';
import { waitUntil } from '../wait-until';

/** The server of a test run, handed from the start to the stop. */
export interface TestServer {
  readonly process: ChildProcess;
  readonly folder: string;
}

/**
 * Starts one temporary Postgres for the whole test run (or takes the one TEST_DATABASE_URL names) and migrates the
 * template of the spec files' databases.
 */
export default async function start(): Promise<void> {
  process.env.TEST_DATABASE_URL ||= await startServer();
  process.env.TEST_DATABASE_TEMPLATE = await createTemplate();
}

/** Answers its URL. */
async function startServer(): Promise<string> {
  const folder = mkdtempSync(join(parentFolder(), 'ledgerline-test-'));
  chmodSync(folder, 0o755);
  const password = randomBytes(18).toString('hex');
  const { postgres, directory, owner } = await openCluster(folder, password, () => undefined);
  writeFileSync(join(directory, 'pg_hba.conf'), 'host all all 127.0.0.1/32 password\n');
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const args = ['-D', directory, ...flags(port)];
  const server = spawn(postgres, args, { ...owner, cwd: '/', stdio: ['ignore', log, log] });
  stopOnExit(server, folder);
  const url = `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/postgres`;
  await untilItAcceptsConnections(url, server);
  await hashQuickly(url, password);
  Object.assign(globalThis, { ledgerlineTestServer: { process: server, folder } satisfies TestServer });
  return url;
}

const [MEMORY, ENOUGH_BYTES] = ['/dev/shm', 8e9];

/** In memory where there is plenty: hundreds of databases are created and dropped. */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir(); // systems without it
  }
}

/** Also where the run is interrupted and the global teardown is not called. */
function stopOnExit(server: ChildProcess, folder: string): void {
  process.once('exit', () => {
    server.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}

function flags(port: number): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
    jit: 'off',
    timezone: 'UTC',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The tests connect thousands of times with this random password, and deriving keys from it took longer than the rest. */
async function hashQuickly(url: string, password: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(`alter role ${POSTGRES_USER} password '${password}'`);
  await client.end();
}

async function untilItAcceptsConnections(url: string, server: ChildProcess): Promise<void> {
  const answers = async () => {
    if (server.exitCode !== null) throw new Error('The Postgres of the tests did not start.');
    const client = new Client({ connectionString: url });
    const answered = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    return answered;
  };
  await waitUntil(answers);
}
