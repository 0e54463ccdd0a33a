import { waitUntil } from '@test/wait-until';
import { StartFailure, StoreUnreachable } from '../config/start-failure';
import { OpenedWhenUp } from './opened-when-up';

describe('a store that may be away at the start', () => {
  it('is refused as unavailable until it is there, and then used', async () => {
    const { opening, logged } = openingAfter([away, away]);
    const opened = await opening;
    expect(() => opened.get()).toThrow('Kafka is not there yet.');
    await waitUntil(() => opened.isThere);
    expect(opened.get()).toBe(store);
    expect(logged.map(([level]) => level)).toEqual(['warn', 'info']);
    await opened.close();
    expect(store.close).toHaveBeenCalledTimes(1);
  });

  it('ends the start where it is set up wrongly', async () => {
    await expect(openingAfter([wrong]).opening).rejects.toBe(wrong);
  });

  it('ends the process, with the same sentence, where that shows only later', async () => {
    const { opening, logged, end } = openingAfter([away, wrong]);
    const opened = await opening;
    await waitUntil(() => end.mock.calls.length > 0);
    expect(logged.at(-1)).toEqual(['fatal', wrong.message]);
    await opened.close();
  });

  it('is waited for no longer once it is closed', async () => {
    const { opening, connect } = openingAfter(Array<Error>(1_000).fill(away));
    const opened = await opening;
    await opened.close();
    const { length } = connect.mock.calls;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(connect).toHaveBeenCalledTimes(length);
  });
});

const away = new StoreUnreachable('No broker can be reached.');
const wrong = new StartFailure('Kafka refuses the user or the password.');
const store = { close: jest.fn(() => Promise.resolve()) };

/** Returns an opener that fails with these first. */
function openingAfter(failures: readonly Error[]) {
  const left = [...failures];
  const logged: [string, string][] = [];
  const log = (level: string) => (_: object, message: string) => void logged.push([level, message]);
  const logger = { warn: log('warn'), info: log('info'), fatal: log('fatal') } as never; // only what is called with both
  const end = jest.fn();
  const connect = jest.fn(() => {
    const failure = left.shift();
    return failure ? Promise.reject(failure) : Promise.resolve(store);
  });
  return { opening: OpenedWhenUp.open(connect, { name: 'Kafka', logger, end }), logged, end, connect };
}
