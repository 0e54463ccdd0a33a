import { once } from 'node:events';
import type { LiveAnswer } from './live-answers';
import { EventStream, WebsiteWatch } from './website-watch';

const TARGET = {
  about: 'website',
  id: 'site_1',
  name: 'Shop',
  zone: 'UTC',
  visitorIdentity: 'daily',
  publicOnly: false,
} as const;

/** The n-th answer; only its rows and notes are looked at. */
const answer = (n: number): LiveAnswer =>
  ({ answer: { data: [{ n }], meta: { notes: [] } }, state: '', now: 0 }) as unknown as LiveAnswer;

/** The numbers of the answers that a stream has sent. */
async function sentTo(stream: EventStream): Promise<number[]> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
}

describe('the watch of a website', () => {
  it('sends every stream what was read once, what has not changed not again, and ends them when it cannot be read', async () => {
    const found = [answer(1), answer(2), answer(2), answer(3)];
    const read = jest.fn(() => {
      const next = found.shift();
      return next ? Promise.resolve(next) : Promise.reject(new Error('away'));
    });
    const watch = new WebsiteWatch(TARGET, { read });
    const failed = watch.ended.catch((error: unknown) => error);
    const streams = [new EventStream(), new EventStream()];
    const sent = Promise.all(streams.map(sentTo));
    for (const stream of streams) await watch.join(stream);
    expect(await sent).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(await failed).toEqual(new Error('away'));
    expect(read).toHaveBeenCalledTimes(5);
    expect(watch.isOver).toBe(true);
  });

  it('is over when the last stream has ended', async () => {
    const watch = new WebsiteWatch(TARGET, { read: () => Promise.resolve(answer(1)) });
    const streams = [new EventStream(), new EventStream()];
    for (const stream of streams) await watch.join(stream);
    streams[0]!.destroy();
    await once(streams[0]!, 'close');
    expect(watch.isOver).toBe(false);
    streams[1]!.destroy();
    await watch.ended;
    expect(watch.isOver).toBe(true);
  });
});

describe('an event stream', () => {
  it('drops a reader that does not keep up', async () => {
    const stream = new EventStream();
    const dropped = once(stream, 'close');
    const message = JSON.stringify('x'.repeat(100_000));
    stream.send(message);
    stream.send(message);
    expect(stream.destroyed).toBe(false);
    stream.send(message);
    await dropped;
    stream.send(message);
    expect(stream.destroyed).toBe(true);
  });

  it('ends after what was sent', async () => {
    const stream = new EventStream();
    stream.send('{"n":1}');
    stream.end();
    stream.send('{"n":2}');
    expect(await sentTo(stream)).toEqual([1]);
  });
});
