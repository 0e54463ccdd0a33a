import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POSTGRES_USER, type Cluster } from '../../scripts/supervisor/postgres/cluster';
import { postgresUserForNewCluster } from '../../scripts/supervisor/postgres/owner';
import { freePort } from '../network/free-port';
import { untilItAcceptsConnections } from './server';

const SERVERS = '/usr/lib/postgresql';
const PGBOUNCER = '/usr/sbin/pgbouncer';

/** The directory of the oldest server of Debian's packages that there is. */
function binaries(): string | undefined {
  const releases = existsSync(SERVERS) ? readdirSync(SERVERS).sort((a, b) => Number(a) - Number(b)) : [];
  return releases.map((release) => join(SERVERS, release, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** Runs the tests with Debian's Postgres and PgBouncer, or says loudly which package is missing. */
export function describeOnDebianPostgres(name: string, tests: () => void): void {
  const missing = binaries() === undefined ? 'postgresql' : existsSync(PGBOUNCER) ? undefined : 'pgbouncer';
  if (missing === undefined) describe(name, tests);
  else it.skip(`${name}: SKIPPED, as Debian's package ${missing} is not installed`, () => undefined);
}

/** A cluster as its `initdb` makes one. */
export function debianCluster(folder: string, password: string): Promise<Cluster> {
  const owner = postgresUserForNewCluster();
  const bin = binaries() ?? '';
  const directory = join(folder, 'postgres');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  mkdirSync(directory);
  if (owner) for (const path of [directory, passwordFile]) chownSync(path, owner.uid, owner.gid);
  const options = [
    '--auth=scram-sha-256',
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
  ];
  execFileSync(join(bin, 'initdb'), ['-D', directory, ...options], { ...owner, cwd: '/', stdio: 'ignore' });
  return Promise.resolve({ directory, owner, postgres: join(bin, 'postgres'), isNew: true });
}

export interface Pooler {
  /** The address of the same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PgBouncer in session mode in front of a server, with no setting but those that it cannot do without, and given ones. */
export async function startPgBouncer(
  folder: string,
  server: string,
  given: Readonly<Record<string, string | number>> = {},
): Promise<Pooler> {
  const url = new URL(server);
  const owner = postgresUserForNewCluster();
  const port = await freePort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${url.username}" "${url.password}"\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'scram-sha-256',
    auth_file: users,
    unix_socket_dir: '',
    default_pool_size: 110, // one connection to the server for each of ours; by default there are 20
    ...given,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, `pgbouncer-${port}.ini`);
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${url.port}\n[pgbouncer]\n${lines.join('\n')}\n`);
  chmodSync(folder, 0o755);
  const pooler = spawn(PGBOUNCER, ['--quiet', file], { ...owner, cwd: '/', stdio: 'ignore' });
  url.port = String(port);
  await untilItAcceptsConnections(url.href, pooler);
  const stop = async () => {
    const gone = once(pooler, 'exit');
    pooler.kill('SIGKILL');
    await gone;
  };
  return { url: url.href, stop };
}
