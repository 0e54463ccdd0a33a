import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '@ledgerline/platform/config/runtime-file';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { waitUntil } from '@test/wait-until';
import { freePort } from '../../../test/network/free-port';
import { openCluster } from './cluster';
import { postgresFlags } from './embedded';
import { stopLeftoverPostgres } from './leftover-server';
import { mayReach } from './owner';

const quiet = { stdio: 'ignore' } as const;
const asRoot = process.getuid?.() === 0;

describe('the embedded cluster', () => {
  it('is made once, whole, and belongs to the user Postgres runs as', async () => {
    const dataDir = folder(0o755);
    mkdirSync(join(dataDir, 'postgres.new'));
    writeFileSync(join(dataDir, 'postgres.new', 'half'), 'of an interrupted one');
    const made = await openCluster(dataDir, 'secret', () => undefined);
    expect(made.isNew).toBe(true);
    expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false);
    expect(statSync(made.directory).uid).toBe(made.owner?.uid ?? process.getuid?.());
    const found = await openCluster(dataDir, 'secret', () => undefined);
    expect(found).toEqual({ ...made, isNew: false });
  });

  (asRoot ? it : it.skip)('is elsewhere where the user Postgres runs as cannot reach the data directory', async () => {
    const dataDir = folder(0o700);
    const made = await openCluster(dataDir, 'secret', () => undefined);
    expect(made.directory).not.toContain(dataDir);
    expect(realpathSync(join(dataDir, 'postgres'))).toBe(made.directory);
    expect(mayReach(made.directory, made.owner)).toBe(true);
    expect(await openCluster(dataDir, 'secret', () => undefined)).toEqual({ ...made, isNew: false });
    rmSync(join(made.directory, '..'), { recursive: true });
  });

  it('is never made anew over something that is no cluster', async () => {
    const dataDir = folder(0o755);
    mkdirSync(join(dataDir, 'postgres'));
    await expect(openCluster(dataDir, 'secret', () => undefined)).rejects.toThrow('holds no database');
  });
});

describe('what a killed run left behind', () => {
  it('does not block the next start when its process id belongs to another program by now', async () => {
    const directory = folder(0o755);
    const file = join(directory, 'postmaster.pid');
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', 'postgres', '-D', '/another'], quiet);
    writeFileSync(file, `${other.pid!}\n${directory}\n1\n5432\n`);
    await stopLeftoverPostgres(directory);
    const [pid, ...rest] = readFileSync(file, 'utf8').split('\n');
    expect(isAlive(Number(pid))).toBe(false);
    expect(rest).toEqual([directory, '1', '5432', '']);
    expect(isAlive(other.pid!)).toBe(true);
    other.kill();
  });

  it('is a server that is stopped', async () => {
    const { directory, owner, postgres } = await openCluster(folder(0o755), 'secret', () => undefined);
    const args = ['-D', directory, ...postgresFlags(await freePort())];
    const server = spawn(postgres, args, { ...owner, cwd: '/', stdio: 'ignore' });
    const gone = new Promise((resolve) => server.once('exit', resolve));
    await waitUntil(() => statusIn(directory) === 'ready');
    await stopLeftoverPostgres(directory);
    expect(await gone).toBe(0);
  });

  it('may be nothing', async () => {
    await expect(stopLeftoverPostgres(folder(0o755))).resolves.toBeUndefined();
  });
});

const folder = (mode: number) => temporaryFolder('cluster', mode);

/** The eighth line of `postmaster.pid`. */
function statusIn(directory: string): string | undefined {
  const file = join(directory, 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n')[7]?.trim() : undefined;
}
