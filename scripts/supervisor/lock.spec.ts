import { spawn } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '@ledgerline/platform/config/runtime-file';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { lockDataDirectory } from './lock';

describe('the lock of a data directory', () => {
  it('is given back', async () => {
    const dataDir = emptyFolder();
    const unlock = await lockDataDirectory(dataDir);
    expect(existsSync(join(dataDir, 'lock'))).toBe(true);
    unlock();
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });

  it('keeps a second supervisor out, with one sentence', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    const dataDir = lockedBy({ pid: other.pid!, birth: processIdentity(other.pid!), host: hostname() });
    await expect(lockDataDirectory(dataDir)).rejects.toThrow(
      `The data directory ${dataDir} is in use by another "npm start" (process ${other.pid!}); stop it or set DATA_DIR.`,
    );
    other.kill();
  });

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1, birth: 'x', host: hostname() }],
    ['a process whose id belongs to another one by now', { pid: process.ppid, birth: 'earlier', host: hostname() }],
    ['this very process id before a restart', { pid: process.pid, birth: 'earlier', host: hostname() }],
    ['a machine that does not beat any more', { pid: 1, birth: 'x', host: 'elsewhere' }],
    ['something that was cut off', undefined],
  ])('is taken over from %s', async (_, holder) => {
    const dataDir = lockedBy(holder);
    const unlock = await lockDataDirectory(dataDir, 200);
    expect(JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    unlock();
  });

  it('keeps out a second machine on a shared volume while the first one beats', async () => {
    const dataDir = lockedBy({ pid: 7, birth: 'x', host: 'elsewhere' });
    const beat = setInterval(() => utimesSync(join(dataDir, 'lock'), new Date(), new Date()), 20);
    await expect(lockDataDirectory(dataDir, 200)).rejects.toThrow('(process 7 on elsewhere)');
    clearInterval(beat);
  });
});

const emptyFolder = () => temporaryFolder('lock');

function lockedBy(holder: object | undefined): string {
  const dataDir = emptyFolder();
  writeFileSync(join(dataDir, 'lock'), holder ? JSON.stringify(holder) : '{"pid":1');
  return dataDir;
}
