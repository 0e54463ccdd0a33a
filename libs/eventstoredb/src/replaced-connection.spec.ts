import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { guardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { appended, event, freshStream } from '@test/event-store/laws/harness';
import { proxyTo } from '@test/network/breakable-proxy';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { ReplacementPace } from './response-timeout';

const TIMEOUT_MS = 1_000;

it('is replaced again soon, as another may lead by then, and later ever more seldom', () => {
  const pace = new ReplacementPace();
  const replaced = Array.from({ length: 200 }, (_, second) => second).filter((second) =>
    pace.mayReplace(second * 1_000),
  );
  expect(replaced).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 124, 126, 130, 138, 154, 186]);
});

describe('a replaced connection to EventStoreDB', () => {
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

  it('has no stream of appends left, nor has a closed one', async () => {
    let calls = 0;
    double.onAppend = () => (++calls === 1 ? new Promise(() => undefined) : undefined);
    await appended(store, freshStream(), 'no-stream', [event()]);
    expect(calls).toBe(2);
    const open = (count: number) =>
      waitUntil(
        () => double.appendStreams,
        (streams) => streams === count,
        5_000,
      );
    await open(1);
    await store.close();
    await open(0);
  });

  it.each(['without', 'with'])('may have died without a reset, %s TLS', async (tls) => {
    const guarded = await guardedDouble();
    const proxy = await proxyTo('127.0.0.1', tls === 'with' ? guarded.double.port : double.port);
    const url =
      tls === 'with' ? guarded.url('admin', undefined, proxy.port) : `esdb://127.0.0.1:${proxy.port}?tls=false`;
    const proxied = await EventStoreDbEventStore.open(url, { timeoutMs: TIMEOUT_MS });
    const stream = freshStream();
    const own = event();
    await appended(proxied, stream, 'no-stream', [event()]);
    proxy.strand();
    await waitUntil(
      () => proxied.append(stream, 0, [own]).catch(() => undefined),
      (result) => result?.ok === true,
    );
    expect(await proxied.readStream(stream)).toHaveLength(2);
    await proxied.close();
    await proxy.close();
    guarded.stop();
  });
});
