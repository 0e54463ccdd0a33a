import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { cpuSeconds, memoryMegabytes } from './process-usage';

describe('what processes use', () => {
  if (process.platform !== 'linux') {
    it.skip('SKIPPED: there is no /proc', () => undefined);
    return;
  }

  it('includes all that is below them', async () => {
    const before = memoryMegabytes([process.pid]);
    const file = join(temporaryFolder('usage'), 'child.js');
    writeFileSync(
      file,
      'const held = Buffer.alloc(200 * 2 ** 20, 1); process.send(held.length); process.on("message", () => held);',
    );
    const child = fork(file, [], { execArgv: [] });
    await once(child, 'message');
    const alone = memoryMegabytes([child.pid!]);
    const together = memoryMegabytes([process.pid]);
    child.kill();
    expect(alone).toBeGreaterThan(200);
    expect(together).toBeGreaterThan(before + 150);
    expect(cpuSeconds([process.pid])).toBeGreaterThan(0);
  });

  it('is nothing of a process that has ended', () => {
    expect([memoryMegabytes([2 ** 30]), cpuSeconds([2 ** 30])]).toEqual([0, 0]);
  });
});
