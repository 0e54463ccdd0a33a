import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** The user of the Postgres process; undefined = the current user. */
export type Owner = { readonly uid: number; readonly gid: number } | undefined;

const isRoot = () => process.getuid?.() === 0;

/** Postgres refuses to run as root: then it runs as the user `postgres`, created here if there is none. */
export function postgresUserForNewCluster(): Owner {
  if (!isRoot()) return undefined;
  return idOf('postgres') ?? madeUser() ?? idOf('nobody') ?? noUser();
}

/** The owner of an existing cluster. */
export function postgresUserOfCluster(directory: string): Owner {
  const { uid, gid } = statSync(directory);
  const me = process.getuid?.();
  if (me === undefined || uid === me) return isRoot() ? givenAway(directory) : undefined;
  if (isRoot()) return { uid, gid };
  throw new StartFailure(
    `The database in ${directory} belongs to another user (${uid}); start as that user or as root, or set DATA_DIR.`,
  );
}

/** A cluster owned by root, for instance a copied one, gets the user of Postgres as its owner. */
function givenAway(directory: string): Owner {
  const owner = postgresUserForNewCluster();
  if (owner) chownAll(directory, owner);
  return owner;
}

function chownAll(path: string, owner: NonNullable<Owner>): void {
  chownSync(path, owner.uid, owner.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownAll(join(path, name), owner);
}

/** Returns whether this user may enter a directory, whatever its own permissions are. */
export function mayReach(directory: string, owner: Owner): boolean {
  if (!owner) return true;
  const { mode, uid, gid } = statSync(directory);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  const parent = dirname(directory);
  return (mode & bit) !== 0 && (parent === directory || mayReach(parent, owner));
}

function idOf(user: string): Owner {
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const { status, stdout } = spawnSync('id', [option, user], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid !== undefined && gid !== undefined ? { uid, gid } : undefined;
}

function madeUser(): Owner {
  spawnSync('groupadd', ['--system', 'postgres']);
  spawnSync('useradd', ['--system', '--gid', 'postgres', '--no-create-home', '--shell', '/bin/false', 'postgres']);
  return idOf('postgres');
}

function noUser(): never {
  throw new StartFailure(
    'Postgres does not run as root and no user "postgres" could be made; start as an ordinary user or set DATABASE_URL.',
  );
}
