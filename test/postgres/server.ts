import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openCluster, POSTGRES_USER, type Cluster } from '../../scripts/supervisor/postgres/cluster';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';

type MakeCluster = (folder: string, password: string) => Promise<Cluster>;
type Settings = Readonly<Record<string, string>>;

const embedded: MakeCluster = (folder, password) => openCluster(folder, password, () => undefined);

/** A temporary Postgres. */
export class TestServer {
  private process: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    private readonly cluster: Cluster,
    private readonly port: number,
    private readonly settings: Settings,
    /** The address of its database `postgres`. */
    readonly url: string,
  ) {}

  /** By default that of the product; `settings` are defaults of all sessions. */
  static async start(makeCluster: MakeCluster = embedded, settings: Settings = {}): Promise<TestServer> {
    const folder = mkdtempSync(join(parentFolder(), 'ledgerline-test-'));
    chmodSync(folder, 0o755);
    const password = randomBytes(18).toString('hex');
    const cluster = await makeCluster(folder, password);
    writeFileSync(join(cluster.directory, 'pg_hba.conf'), 'host all all 127.0.0.1/32 password\n');
    const port = await freePort();
    const url = `postgres://${POSTGRES_USER}:${password}@127.0.0.1:${port}/postgres`;
    const server = new TestServer(folder, cluster, port, settings, url);
    server.stopOnExit();
    await server.resume();
    await hashQuickly(url, password);
    return server;
  }

  /** Starts it again on the same port after `stop`. */
  async resume(): Promise<void> {
    const { postgres, directory, owner } = this.cluster;
    const log = openSync(join(this.folder, 'log'), 'a');
    const args = ['-D', directory, ...flags(this.port, this.settings)];
    this.process = spawn(postgres, args, { ...owner, cwd: '/', stdio: ['ignore', log, log] });
    await untilItAcceptsConnections(this.url, this.process);
  }

  /** Ends its connections and stops it; what was committed stays. */
  async stop(): Promise<void> {
    const { process: server } = this;
    if (!server || server.exitCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGINT');
    await gone;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Stops it also where the run is interrupted and nothing else does. */
  private stopOnExit(): void {
    process.once('exit', () => {
      this.process?.kill('SIGQUIT');
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  }
}

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 8e9;

/** In memory where there is plenty: hundreds of databases are created and dropped. */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir(); // systems without it
  }
}

function flags(port: number, others: Settings): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    fsync: 'off',
    jit: 'off',
    timezone: 'UTC',
    ...others,
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The tests connect thousands of times with this random password, and deriving keys from it took longer than the rest. */
async function hashQuickly(url: string, password: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`); // since 16
  await client.query(`alter role ${POSTGRES_USER} password '${password}'`);
  await client.end();
}

export async function untilItAcceptsConnections(url: string, server: ChildProcess): Promise<void> {
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
