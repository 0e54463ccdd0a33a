import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { event, freshStream } from '@test/event-store/laws/harness';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const newIds = { newIds: true };

describe('an append with new ids on EventStoreDB', () => {
  let double: EventStoreDbDouble;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    store = await EventStoreDbEventStore.open(double.url, { timeoutMs: 1_000 });
  });
  afterEach(async () => {
    await store.close();
    double.stop();
  });

  it('is answered though nothing can be read, also a conflict', async () => {
    const stream = freshStream();
    double.silent = true;
    const result = await store.append(stream, 'no-stream', [event()], newIds);
    expect(await store.append(stream, 'no-stream', [event()], newIds)).toEqual({ ok: false, conflict: 0 });
    double.silent = false;
    expect(result).toMatchObject({ ok: true, events: await store.readStream(stream) });
  });

  it('looks at what is stored where the answer names another revision than the append has', async () => {
    const stream = freshStream();
    double.onAppend = (_, write) => {
      const response = write();
      response.getSuccess()?.setCurrentRevision('7');
      return Promise.resolve(response);
    };
    const result = await store.append(stream, 'no-stream', [event()], newIds);
    expect(result).toMatchObject({ ok: true, revision: 0, events: await store.readStream(stream) });
  });
});
