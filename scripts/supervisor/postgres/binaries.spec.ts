import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { binariesIn, findBinaries, installed } from './binaries';
import { postgresUserForNewCluster } from './owner';

const owner = postgresUserForNewCluster();

describe('the Postgres that npm installed', () => {
  it('runs', () => {
    const { postgres } = findBinaries(owner, folder(0o755));
    expect(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout).toContain('PostgreSQL) 18');
  });

  it('is mended where its links and permissions are missing', () => {
    const native = copyOfNative(folder(0o755));
    const library = join(native, 'lib');
    for (const name of readdirSync(library)) {
      if (lstatSync(join(library, name)).isSymbolicLink()) rmSync(join(library, name));
    }
    chmodSync(join(native, 'bin', 'postgres'), 0o600);
    if (owner) chmodSync(join(native, 'share'), 0o700);
    const { postgres } = binariesIn(native, '18', owner, folder(0o755));
    expect(postgres).toBe(join(native, 'bin', 'postgres'));
    expect(existsSync(join(library, 'libpq.so.5'))).toBe(true);
  });

  (owner ? it : it.skip)('is copied where its user cannot reach it', () => {
    const fallback = folder(0o755);
    const native = copyOfNative(folder(0o700));
    const { postgres } = binariesIn(native, '18', owner, fallback);
    expect(dirname(dirname(postgres))).toBe(join(fallback, 'postgres-18'));
    expect(binariesIn(native, '18', owner, fallback).postgres).toBe(postgres);
  });

  it('is explained where it cannot run', () => {
    const nothing = folder(0o755);
    mkdirSync(join(nothing, 'native'));
    expect(() => binariesIn(join(nothing, 'native'), '18', owner, folder(0o755))).toThrow('set DATABASE_URL');
  });
});

const folder = (mode: number) => temporaryFolder('binaries', mode);

function copyOfNative(parent: string): string {
  const native = join(parent, 'native');
  cpSync(installed().native, native, { recursive: true, verbatimSymlinks: true });
  return native;
}
