import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { findBinaries } from './binaries';
import { mayReach, postgresUserOfCluster, postgresUserForNewCluster, type Owner } from './owner';

/** The directory of a Postgres 18 cluster, its binaries and its owner. */
export interface Cluster {
  readonly directory: string;
  readonly owner: Owner;
  readonly postgres: string;
  readonly isNew: boolean;
}

export const POSTGRES_USER = 'ledgerline';

/** For root: the directory of a cluster, and of copies of binaries, where the user `postgres` cannot reach its own. */
const FALLBACK = '/var/lib/ledgerline';

/** The cluster in `<data dir>/postgres`, created at the first start. */
export async function openCluster(dataDir: string, password: string, print: (line: string) => void): Promise<Cluster> {
  const place = join(dataDir, 'postgres');
  if (!lstatSync(place, { throwIfNoEntry: false })) {
    print('Preparing the database …');
    return makeCluster(dataDir, place, password);
  }
  if (!existsSync(join(place, 'PG_VERSION'))) {
    throw new StartFailure(`${place} holds no database; remove it to start with an empty one, or set DATA_DIR.`);
  }
  const directory = realpathSync(place);
  const owner = postgresUserOfCluster(directory);
  return { directory, owner, postgres: findBinaries(owner, fallbackFor(dataDir, owner)).postgres, isNew: false };
}

/** A cluster is created atomically, by renaming a draft; an interrupted draft is created anew. */
async function makeCluster(dataDir: string, place: string, password: string): Promise<Cluster> {
  const owner = postgresUserForNewCluster();
  const { initdb, postgres } = findBinaries(owner, fallbackFor(dataDir, owner));
  const inside = mayReach(realpathSync(dataDir), owner);
  const directory = inside ? place : join(FALLBACK, randomBytes(8).toString('hex'), 'postgres');
  const draft = `${directory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  if (!inside) [FALLBACK, dirname(directory)].forEach((folder) => chmodSync(folder, 0o755));
  if (owner) chownSync(draft, owner.uid, owner.gid);
  await initialise(initdb, draft, password, owner);
  renameSync(draft, directory);
  if (!inside) symlinkSync(directory, place);
  return { directory: realpathSync(directory), owner, postgres, isNew: true };
}

async function initialise(initdb: string, directory: string, password: string, owner: Owner): Promise<void> {
  const passwordFile = `${directory}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (owner) chownSync(passwordFile, owner.uid, owner.gid);
  const options = ['--auth=scram-sha-256', `--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`];
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    await finished(initdb, ['-D', directory, ...options, ...locale], owner);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function finished(program: string, args: readonly string[], owner: Owner): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...owner, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.resume();
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new StartFailure(`The embedded database could not be made: ${said.trim() || `exit code ${code ?? '?'}`}`),
        );
    });
  });
}

const fallbackFor = (dataDir: string, owner: Owner) => (owner ? FALLBACK : dataDir);
