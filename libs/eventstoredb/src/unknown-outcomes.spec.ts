import { Deadline } from '@ledgerline/platform/log/timing';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appended, event, freshStream } from '@test/event-store/laws/harness';
import { proxyTo } from '@test/network/breakable-proxy';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { ResponseTimeout } from './response-timeout';

const TIMEOUT_MS = 1_000;

describe('a write to an EventStoreDB that is lost meanwhile', () => {
  let double: EventStoreDbDouble;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    store = await EventStoreDbEventStore.open(double.url, { timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    await store.close();
    double.stop();
  });

  it('knows that nothing was stored where the server refuses connections, but not where it no longer answers', async () => {
    const proxy = await proxyTo('127.0.0.1', double.port);
    const url = `esdb://127.0.0.1:${proxy.port}?tls=false`;
    const proxied = await EventStoreDbEventStore.open(url, { timeoutMs: TIMEOUT_MS });
    const stream = freshStream();
    const append = () => proxied.append(stream, 'no-stream', [event()], { newIds: true });
    await appended(proxied, freshStream(), 'no-stream', [event()]);
    await proxy.refuse();
    await append().catch(() => undefined); // may be written to the connection that has just been reset
    await expect(append()).rejects.toMatchObject({ name: 'LogUnavailable' });
    await proxy.mend();
    await waitUntil(
      () => append().catch(() => undefined),
      (result) => result?.ok === false, // one of the tries was stored
    );
    proxy.swallow();
    await expect(append()).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    await proxied.close();
    await proxy.close();
  });

  it('does not know the outcome of appends in order of which only the first ones are known to be stored', async () => {
    const first = freshStream();
    const second = freshStream();
    double.onAppend = (stream) => (stream === second ? Promise.resolve(undefined) : undefined);
    const appends = [first, second].map((stream) => ({ stream, expected: 'no-stream' as const, events: [event()] }));
    await expect(store.appendInOrder(appends)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    expect(await store.readStream(first)).toHaveLength(1);
  });

  it('is not asked by a command that has waited as long as it may, in whichever call', async () => {
    const streams = [freshStream(), freshStream()] as const;
    const appends = streams.map((stream) => ({
      stream,
      expected: 'no-stream' as const,
      events: [event()],
      newIds: true,
    }));
    const calls: string[] = [];
    double.onAppend = (stream) => {
      calls.push(stream);
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000); // the answer takes that long
      return undefined;
    };
    await expect(store.appendInOrder(appends)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    expect(calls).toEqual(streams.slice(0, 1));
    jest.restoreAllMocks();
    const deadline = new Deadline();
    expect(deadline.left(0)).toBeLessThanOrEqual(0);
    const { streamReads } = double;
    await expect(store.readStream(streams[0], { deadline })).rejects.toThrow('has taken all the time');
    expect(double.streamReads).toBe(streamReads);
    expect(await store.readStream(streams[0])).toHaveLength(1);
  });

  it('leaves two tries and a read of a write together less than eight seconds while nothing responds', () => {
    const timeout = new ResponseTimeout();
    const waits: number[] = [];
    for (let call = 0; call < 3; call++) {
      waits.push(timeout.currentMs);
      timeout.onTimeout();
    }
    expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThan(7_000);
  });
});
