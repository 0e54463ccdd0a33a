import { setImmediate } from 'node:timers/promises';
import { WrongExpectedVersionError, type EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import type { AppendOptions } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import { EpochChanged } from '@ledgerline/platform/log/log-reader';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appendResponse } from '@test/event-store/eventstoredb-double/messages';
import { appended, event, freshStream, idsOf } from '@test/event-store/laws/harness';
import { proxyTo } from '@test/network/breakable-proxy';
import { waitUntil } from '@test/wait-until';
import { Connection } from './connection';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { ResponseTimeout } from './response-timeout';

const TIMEOUT_MS = 1_000;

describe('the event store on EventStoreDB, when something fails', () => {
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

  const newIds = { newIds: true };

  it.each([{}, newIds])('finds an append that was stored though its response came too late: %j', async (options) => {
    const stream = freshStream();
    const own = event();
    let calls = 0;
    const answer = store.append(stream, 'no-stream', [own], options);
    double.onAppend = async (_, write) => {
      const response = write();
      if (++calls === 1) await answer;
      return response;
    };
    const result = await answer;
    expect(result).toMatchObject({ ok: true, revision: 0, replayed: false, events: await store.readStream(stream) });
    expect(idsOf(await store.readStream(stream))).toEqual([own.id]);
    expect(calls).toBe(2);
  });

  it.each([{}, newIds])(
    'finds an append that was stored before the leader changed to one that refuses it: %j',
    async (options) => {
      const stream = freshStream();
      let calls = 0;
      double.onAppend = (_, write) => {
        if (++calls > 1) return Promise.resolve(appendResponse({ ok: false, actual: 1, expected: -1 }));
        write();
        return Promise.resolve(undefined);
      };
      const result = await store.append(stream, 'no-stream', [event(), event()], options);
      expect(result).toMatchObject({ ok: true, revision: 1, replayed: false });
      expect(await store.readStream(stream)).toHaveLength(2);
    },
  );

  it('retries an append that was not written once, and then reports an unknown outcome', async () => {
    const stream = freshStream();
    let calls = 0;
    double.onAppend = () => {
      calls += 1;
      return Promise.resolve(undefined);
    };
    const append = (options?: AppendOptions) => store.append(stream, 'no-stream', [event()], options);
    for (const options of [{}, newIds]) await expect(append(options)).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    expect(calls).toBe(4);
    double.onAppend = () => undefined;
    expect(await append()).toMatchObject({ ok: true });
  });

  it('is not asked twice by an append while it is known not to answer', async () => {
    let calls = 0;
    double.onAppend = () => {
      calls += 1;
      return new Promise(() => undefined);
    };
    double.silent = true;
    const append = () => store.append(freshStream(), 'no-stream', [event()], newIds);
    await expect(append()).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    expect(calls).toBe(2);
    await expect(append()).rejects.toMatchObject({ name: 'OutcomeUnknown' });
    expect(calls).toBe(3);
  });

  it('fails no append because of the rejection of another', async () => {
    const failing = freshStream();
    const slow = freshStream();
    const failure = store.append(failing, 'no-stream', [event()]).catch((error: unknown) => error);
    double.onAppend = async (stream, write) => {
      if (stream === failing) return undefined;
      await failure;
      return write();
    };
    const answer = await store.append(slow, 'no-stream', [event()]);
    expect(answer).toMatchObject({ ok: true, revision: 0, replayed: false });
    expect(await failure).toMatchObject({ name: 'OutcomeUnknown' });
  });

  it('finds what was pending when its stream of appends broke, while other clients go on', async () => {
    const other = await EventStoreDbEventStore.open(double.url, { timeoutMs: TIMEOUT_MS });
    const calls = new Map<string, number>();
    await appended(store, freshStream(), 'no-stream', [event()]); // so that its stream is the first
    let breakStream: () => void = () => undefined;
    const broken = new Promise<void>((resolve) => (breakStream = resolve));
    double.onAppend = async (stream, write) => {
      calls.set(stream, (calls.get(stream) ?? 0) + 1);
      await broken;
      return write();
    };
    const [own, others] = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ].map((items) => items.map(() => freshStream()));
    const results = Promise.all([
      ...own!.map((stream) => store.append(stream, 'no-stream', [event()])),
      ...others!.map((stream) => other.append(stream, 'no-stream', [event()])),
    ]);
    await waitUntil(
      () => calls.size,
      (size) => size === 8,
    );
    double.dropAppends();
    breakStream();
    for (const result of await results) expect(result).toMatchObject({ ok: true, revision: 0, replayed: false });
    expect(own!.map((stream) => calls.get(stream))).toEqual([2, 2, 2, 2]);
    expect(others!.map((stream) => calls.get(stream))).toEqual([1, 1, 1, 1]);
    await other.close();
  });

  it('does not take for its own what another process wrote under its ids meanwhile', async () => {
    const stream = freshStream();
    const own = event({ by: 'us' });
    double.onAppend = (_, write) => {
      const json = (value: object) => Buffer.from(JSON.stringify(value));
      const other = { id: own.id, type: own.type, contentType: 'application/json', metadata: json({ metadata: {} }) };
      double.log.append(stream, -1, [{ ...other, data: json({ by: 'them' }) }]);
      return Promise.resolve(write());
    };
    expect(await store.append(stream, 'no-stream', [own])).toEqual({ ok: false, conflict: 0 });
  });

  it('replaces a subscription that was dropped and misses nothing', async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const follower = new LogFollower(store, {
      signal: stop.signal,
      onBatch: ({ events }) => void seen.push(...idsOf(events)),
    });
    await waitUntil(
      () => double.subscriptionsStarted,
      (count) => count === 1,
    );
    double.dropSubscriptions();
    const own = event();
    await appended(store, freshStream(), 'no-stream', [own]);
    await waitUntil(
      () => double.subscriptionsStarted,
      (count) => count === 2,
    );
    await waitUntil(
      () => seen.length,
      (length) => length === 1,
    );
    stop.abort();
    await follower.ended;
    expect(seen).toEqual([own.id]);
    expect(double.subscriptionsStarted).toBe(2);
  });

  it('feeds all followers at the head from one subscription, also where the server found the process too slow', async () => {
    const seen: string[][] = [[], []];
    const stop = new AbortController();
    const tail = (ids: string[]) =>
      new LogFollower(store, { signal: stop.signal, onBatch: ({ events }) => void ids.push(...idsOf(events)) });
    const followers = seen.map(tail);
    const own = Array.from({ length: 40 }, () => event());
    const stream = freshStream();
    for (const [at, one] of own.entries()) {
      const { cursor } = await appended(store, stream, at === 0 ? 'no-stream' : at - 1, [one]);
      for (const follower of followers) expect(await follower.hasReached(cursor, 30_000)).toBe(true);
      if (at % 10 === 5) double.dropSubscriptions({ code: status.ABORTED, details: 'Consumer too slow' });
    }
    expect(double.pagesSent).toBeLessThan(own.length); // a page for each event and follower would be twice as many
    stop.abort();
    await Promise.all(followers.map(({ ended }) => ended));
    expect(seen).toEqual([idsOf(own), idsOf(own)]);
    expect(double.subscriptionsStarted).toBe(5);
  });

  it('gives up a read that gets no answer', async () => {
    double.silent = true;
    await expect(store.readStream(freshStream())).rejects.toMatchObject({ name: 'LogUnavailable' });
    await expect(store.read(0, '', { max: 1 })).rejects.toMatchObject({ name: 'LogUnavailable' });
    double.silent = false;
    expect(await store.readStream(freshStream())).toEqual([]);
  });

  it('has the full timeout once while nothing responds, and again after a response', async () => {
    const timeout = new ResponseTimeout(3_000);
    const connection = Connection.to(double.url, timeout);
    const reads = jest.spyOn(connection.client, 'readStream');
    double.silent = true;
    timeout.onTimeout();
    const read = () => connection.readStream(freshStream(), { direction: 'forwards', maxCount: 1 });
    await expect(read()).rejects.toMatchObject({ message: expect.stringContaining('EventStoreDB') as string });
    const cancelled = reads.mock.results[0]!.value as ReturnType<EventStoreDBClient['readStream']>;
    await waitUntil(() => cancelled.readableEnded);
    expect(connection.timeoutMs).toBe(1_000);
    double.silent = false;
    await connection.readAll({ direction: 'forwards', maxCount: 1 });
    expect(connection.timeoutMs).toBe(3_000);
    await connection.close();
  });

  it('counts an error of the server as a response', async () => {
    const timeout = new ResponseTimeout(3_000);
    const connection = Connection.to(double.url, timeout);
    const page = { direction: 'forwards', maxCount: 1 } as const;
    timeout.onTimeout();
    expect(await connection.readStream(freshStream(), page)).toEqual([]);
    expect(connection.timeoutMs).toBe(3_000);
    timeout.onTimeout();
    const late = connection.client.appendToStream(freshStream(), [], { expectedRevision: 7n });
    await expect(connection.withTimeout(late)).rejects.toThrow(WrongExpectedVersionError);
    expect(connection.timeoutMs).toBe(3_000);
    await connection.close();
  });

  it('survives a cluster that is not found, also after a read timed out', async () => {
    const proxy = await proxyTo('127.0.0.1', double.port);
    proxy.swallow();
    const url = `esdb+discover://127.0.0.1:${proxy.port}?tls=false&maxDiscoverAttempts=1&gossipTimeout=1`;
    const connection = Connection.to(url, new ResponseTimeout(100));
    const reads = jest.spyOn(connection.client, 'readStream');
    const read = connection.readStream(freshStream(), { direction: 'forwards', maxCount: 1 });
    await expect(read).rejects.toMatchObject({ name: 'LogUnavailable' });
    const given = reads.mock.results[0]!.value as ReturnType<EventStoreDBClient['readStream']>;
    await expect(given.cancel()).rejects.toThrow('Failed to discover');
    await setImmediate(); // an unheard rejection fails the spec here
    await proxy.close();
  });

  it('detects a log that was truncated behind a reader, and one that was recreated', async () => {
    const epoch = await store.epoch();
    const { cursor } = await appended(store, freshStream(), 'no-stream', [event()]);
    double.log.all.splice(-2);
    await expect(store.read(0, cursor, { max: 1 })).rejects.toThrow(EpochChanged);
    double.log.all = [];
    expect(await store.epoch()).not.toBe(epoch);
  });
});
