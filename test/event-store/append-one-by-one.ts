import type { AppendRequest, AppendResult, EventStore } from '@ledgerline/platform/event-store/event-store';

/** Makes a store write each append by itself, as EventStoreDB does; `before` runs before each one and may throw. Answers how to end that. */
export function appendOneByOne(store: EventStore, before: (append: AppendRequest) => unknown): () => void {
  const appendInOrder = store.appendInOrder.bind(store);
  const inOrder = jest.spyOn(store, 'appendInOrder').mockImplementation(async (appends) => {
    const results: AppendResult[] = [];
    for (const append of appends) {
      await before(append);
      results.push(...(await appendInOrder([append])));
      if (results.at(-1)?.ok === false) break;
    }
    return results;
  });
  const append = store.append.bind(store);
  const alone = jest.spyOn(store, 'append').mockImplementation(async (stream, expected, events, options) => {
    await before({ stream, expected, events });
    return append(stream, expected, events, options);
  });
  return () => [inOrder, alone].forEach((each) => each.mockRestore());
}
