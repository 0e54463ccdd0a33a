import { ClusterDouble } from '@test/event-store/eventstoredb-double/cluster-double';
import { appended, event, freshStream } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

/** The stale answers of both connections of a store, each of which is replaced again after 1, 2 and 4 s. */
const STALE_ANSWERS = 4;

describe('a cluster of EventStoreDB whose leader is frozen', () => {
  let cluster: ClusterDouble;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    cluster = await ClusterDouble.start();
    store = await EventStoreDbEventStore.open(cluster.url, { timeoutMs: 300 });
  });
  afterEach(async () => {
    await store.close();
    await cluster.stop();
  });

  it('is written to again, and read to its head, though gossip names the frozen node for a while', async () => {
    const stream = freshStream();
    await appended(store, stream, 'no-stream', [event()]);
    cluster.freezeLeader(STALE_ANSWERS);
    const own = event();
    const result = await waitUntil(
      () => store.append(stream, 0, [own], { newIds: true }).catch(() => undefined),
      (answer) => answer?.ok === true,
    );
    const head = await waitUntil(() => store.head().catch(() => undefined));
    expect(store.compare(head, result?.ok === true ? result.cursor : head)).toBeGreaterThanOrEqual(0);
    expect(cluster.staleAnswers).toBeGreaterThanOrEqual(STALE_ANSWERS);
  });
});
