import { setTimeout } from 'node:timers/promises';
import { leaveOut } from '../event-store/chain-link';
import type { EventStore, HistoryEntry } from '../event-store/event-store';
import type { SignedHead } from '../event-store/signed-head';
import { headLine, linkLine } from './export-format';
import { historyPages } from '../event-store/history-pages';

const PAGE = 200;
const SEALED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/**
 * The text of an export up to a signed head, page by page. Events that are not wanted are left out, except early ones,
 * whose hash cannot be computed without them.
 */
export async function* exportText(
  store: Pick<EventStore, 'readBack'>,
  head: SignedHead,
  isWanted: (event: HistoryEntry) => boolean = () => true,
): AsyncGenerator<string, void> {
  yield `${headLine(head)}\n`;
  for await (const page of historyPages(store, head.organization, PAGE)) {
    const lines = page.flatMap((entry) => {
      const { chain } = entry;
      if (!chain || chain.revision > head.revision) return []; // came after the head was signed
      return `${linkLine((!isWanted(entry) && leaveOut(entry)) || { ...entry, chain })}\n`;
    });
    if (lines.length > 0) yield lines.join('');
  }
}

/** Waits for the event of a command to be sealed, which takes EventStoreDB about a second, but not for ever. */
export async function untilSealed(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  commandId: string,
): Promise<void> {
  const until = performance.now() + SEALED_WITHIN_MS;
  const isSealed = ({ chain, metadata }: HistoryEntry) => chain !== null && metadata.command === commandId;
  while (!(await store.readBack({ organization, limit: PAGE })).some(isSealed)) {
    if (performance.now() > until) return;
    await setTimeout(LOOK_AGAIN_MS);
  }
}
