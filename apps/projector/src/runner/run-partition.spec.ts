import { setTimeout as sleep } from 'node:timers/promises';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { MemoryLog } from '@test/projector/memory-log';
import type { LiveRunner } from './group-runner';
import type { Step } from './partition-runner';
import { runPartition } from './run-partition';

describe('the loop of a partition', () => {
  it('stands by while another process moves the checkpoint, and goes on when nobody does', async () => {
    const done = await runWith({ cursors: ['1', '2', '2'], steps: ['outrun', 'moved'] });
    expect(done).toEqual(['step', 'locate', 'locate', 'locate', 'step']);
  });

  it('goes on at once where the checkpoint was only held', async () => {
    const done = await runWith({ cursors: ['0'], steps: ['outrun', 'moved'] });
    expect(done).toEqual(['step', 'locate', 'step']);
  });

  it('catches up by itself, then goes on with others, and by itself again when it is behind', async () => {
    const done = await runWith({ cursors: [], steps: ['moved', 'idle', 'idle', 'moved', 'idle', 'idle'] });
    expect(done).toEqual(['step', 'step', 'step at the head', 'step at the head', 'step', 'step at the head']);
  });
});

/** What a loop calls until it has made these steps. */
async function runWith({ cursors, steps }: { cursors: readonly Cursor[]; steps: readonly Step[] }) {
  const called: string[] = [];
  const ending = new AbortController();
  const [found, results] = [[...cursors], [...steps]];
  const call = (name: string) => {
    called.push(name);
    const result = results.shift();
    if (results.length === 0) ending.abort();
    return result === undefined ? sleep(0, 'idle' as const) : Promise.resolve(result);
  };
  const runner: LiveRunner = {
    cursor: '0',
    step: () => call('step'),
    stepAtHead: () => call('step at the head'),
    stop: () => Promise.resolve(),
    locate: () => {
      called.push('locate');
      return Promise.resolve(found.shift());
    },
  };
  await runPartition({
    runner,
    log: new MemoryLog(),
    partition: 0,
    logger: createLogger('projector', 'silent'),
    invalidateCaches: () => undefined,
    signal: ending.signal,
  });
  return called;
}
