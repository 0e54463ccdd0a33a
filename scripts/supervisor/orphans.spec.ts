import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { isAlive, runtimeFile } from '@ledgerline/platform/config/runtime-file';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { testPrograms } from '@test/processes/test-programs';
import { waitUntil } from '@test/wait-until';
import { waitForOrphans } from './lock';

describe('the processes of a killed run', () => {
  it('are waited for until they have left', async () => {
    const { folder, program, note, diary } = testPrograms(temporaryFolder('supervisor'));
    const stays = 'note("lives"); (function stay() { noted("asked to") ? note("left") : setTimeout(stay, 20); })();';
    const app = spawn(process.execPath, [program('app', stays), folder]);
    await waitUntil(() => diary().includes('lives'));
    writeFileSync(runtimeFile(folder), JSON.stringify({ pids: { supervisor: 2 ** 22 + 1, api: app.pid } }));
    const said: string[] = [];
    await waitForOrphans(folder, (line) => {
      said.push(line);
      note('asked to');
    });
    expect(diary()).toEqual(['lives', 'asked to', 'left']);
    expect(said).toEqual(['Waiting for the processes of an interrupted run to end …']);
    expect(existsSync(runtimeFile(folder))).toBe(false);
  });

  it('are left alone when their id belongs to somebody else by now', async () => {
    const { folder } = testPrograms(temporaryFolder('supervisor'));
    const args = ['-e', 'setInterval(() => 0, 1000)', `${folder}-2`];
    const other = spawn(process.execPath, args, { stdio: 'ignore' });
    writeFileSync(runtimeFile(folder), JSON.stringify({ pids: { api: other.pid } }));
    await waitForOrphans(folder, () => undefined);
    expect(isAlive(other.pid!)).toBe(true);
    other.kill();
  });
});
