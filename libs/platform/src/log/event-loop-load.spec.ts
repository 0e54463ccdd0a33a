import { setImmediate, setTimeout } from 'node:timers/promises';
import { EventLoopLoad } from './event-loop-load';

describe('the load of the event loop', () => {
  it('is higher while the process computes than while it waits', async () => {
    const load = new EventLoopLoad();
    for (const until = performance.now() + 150; performance.now() < until;) await setImmediate();
    const computing = load.now();
    await setTimeout(150);
    expect(load.now()).toBeLessThan(computing);
  });
});
