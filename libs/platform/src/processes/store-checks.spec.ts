import { HitTooLarge, type IntakeSender } from '../intake-log/intake-log';
import { LogUnavailable } from '../log/log-reader';
import { checkSending, storeFailureReason } from './store-checks';

describe('a store that is judged', () => {
  const down = new LogUnavailable('Kafka is unreachable');

  it('fails when anything that was sent lately did, whatever a probe would say', async () => {
    const log = new Sender();
    const { check } = checkSending(log, 'kafka');
    log.failure = down;
    await expect(log.send([])).rejects.toBe(down);
    log.failure = undefined;
    await log.send([]); // to another partition, say
    await expect(check()).rejects.toBe(down);
    expect(log.probes).toBe(0);
  });

  it('is asked only when nothing was sent lately', async () => {
    const log = new Sender();
    const { check } = checkSending(log, 'kafka');
    await check();
    expect(log.probes).toBe(1);
    await log.send([]);
    await check();
    expect(log.probes).toBe(1);
  });

  it('is not judged by what is the fault of a hit', async () => {
    const log = new Sender();
    const { check } = checkSending(log, 'kafka');
    log.failure = new HitTooLarge('too large');
    await expect(log.send([])).rejects.toThrow('too large');
    await check();
    expect(log.probes).toBe(1);
  });

  it('fails for a reason that quotes no data', () => {
    const full = Object.assign(new Error('could not extend file "base/5/1"'), { severity: 'ERROR', code: '53100' });
    const reasons = [
      down,
      new LogUnavailable('The intake log cannot be reached.', { cause: full }),
      new Error('a@b.c'),
    ];
    expect(reasons.map(storeFailureReason)).toEqual([
      'Kafka is unreachable',
      'Its disk is full.',
      'It answers with an error, which is in the log of the process.',
    ]);
  });
});

/** A log that fails with what it is given. */
class Sender implements IntakeSender {
  failure: Error | undefined;
  probes = 0;

  send: IntakeSender['send'] = () => {
    if (this.failure) return Promise.reject(this.failure);
    return Promise.resolve({ outcomes: [], positions: new Map() });
  };

  probe(): Promise<void> {
    this.probes += 1;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
