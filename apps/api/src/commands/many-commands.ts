import { incrementBase32 } from 'ulid';
import { v5 } from 'uuid';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { CommandResult, type StartedCommand } from './command-context';

/** One command for each item, with ids that follow from those of the whole, so that a repetition has them again. */
export function itemCommands(started: StartedCommand, count: number): StartedCommand[] {
  let { id } = started;
  const prefix = id.slice(0, id.indexOf('_') + 1);
  return Array.from({ length: count }, (_, n) => {
    if (n > 0) id = `${prefix}${incrementBase32(id.slice(prefix.length))}`;
    return { ...started, commandId: v5(`item:${n}`, started.commandId), id, deadline: undefined };
  });
}

/** The results in the order of the items, of which so many are under way; after a failure no further work begins. */
export async function mapWithConcurrency<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [at, item] of left) {
      if (failed) return;
      try {
        results[at] = await work(item, at);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
  return results;
}

/** The result of all: at the position of the latest, and a repetition where each is one. */
export function resultOfAll<Entry>(
  written: readonly CommandResult<unknown>[],
  store: Pick<EventStore, 'compare'>,
  entry: Entry,
): CommandResult<Entry> {
  const [latest] = written.flatMap(({ cursor }) => cursor ?? []).sort((a, b) => store.compare(b, a));
  return new CommandResult(
    entry,
    latest,
    written.every(({ replayed }) => replayed),
  );
}
