import { EventEmitter } from 'node:events';
import { listenForStop } from './stop-request';

describe('a request to stop', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('is %s', async (signal) => {
    const { source, stop } = listening();
    expect(stop.signal.aborted).toBe(false);
    source.emit(signal);
    await stop.requested;
    expect(stop.signal.aborted).toBe(true);
  });

  it('is one request when npm passes on what the terminal has already sent', () => {
    const { source, hurries, at } = listening();
    source.emit('SIGINT');
    at(500);
    source.emit('SIGINT');
    expect(hurries()).toBe(0);
  });

  it('is hurried by asking again', () => {
    const { source, hurries, at } = listening();
    source.emit('SIGINT');
    at(1_500);
    source.emit('SIGINT');
    expect(hurries()).toBe(1);
  });
});

function listening() {
  const source = new EventEmitter();
  let now = 0;
  let hurries = 0;
  const stop = listenForStop(source, () => now);
  stop.onHurry(() => hurries++);
  return { source, stop, hurries: () => hurries, at: (time: number) => (now = time) };
}
