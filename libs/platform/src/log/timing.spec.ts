import { pbkdf2Sync } from 'node:crypto';
import { waitUntil } from '@test/wait-until';
import { EventLoopLoad } from './timing';

describe('the load of the event loop', () => {
  it('rises above a half while the process computes, and falls below it while it waits', async () => {
    const load = new EventLoopLoad();
    const compute = () => {
      pbkdf2Sync('', '', 100_000, 64, 'sha512');
      return load.now();
    };
    await waitUntil(compute, (share) => share > 0.5);
    await waitUntil(
      () => load.now(),
      (share) => share < 0.5,
    );
  });
});
