import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For a cluster with its write-ahead log. */
const SIZE_MB = 900;
const BLOCK = Buffer.alloc(64 * 1024);

/** A file system in memory in the place of a folder, which can be filled. Only root can mount one. */
export class SmallDisk {
  private readonly ballast: string;

  private constructor(readonly directory: string) {
    this.ballast = join(directory, 'ballast');
  }

  /** Moves the files of a folder onto a disk of their own; undefined where none can be mounted. */
  static at(directory: string, sizeMb = SIZE_MB): SmallDisk | undefined {
    const { uid, gid, mode } = statSync(directory);
    const copy = mkdtempSync(join(tmpdir(), 'ledgerline-disk-'));
    run('cp', '-a', `${directory}/.`, copy);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', directory]);
    if (status === 0) run('cp', '-a', `${copy}/.`, directory);
    rmSync(copy, { recursive: true });
    if (status !== 0) return undefined;
    chownSync(directory, uid, gid);
    chmodSync(directory, mode & 0o777);
    return new SmallDisk(directory);
  }

  /** Writes until nothing more fits. */
  fill(): void {
    const { uid, gid } = statSync(this.directory);
    const file = openSync(this.ballast, 'w');
    try {
      while (writeSync(file, BLOCK) > 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
    chownSync(this.ballast, uid, gid);
  }

  empty(): void {
    rmSync(this.ballast, { force: true });
  }

  /** It goes when the last process has left it. */
  unmount(): void {
    run('umount', '--lazy', this.directory);
  }
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
