import { setTimeout } from 'node:timers/promises';
import { leaveOut } from '../event-store/chain-link';
import type { EventStore, HistoryEntry } from '../event-store/event-store';
import type { HeadSigner } from '../event-store/head-signer';
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

/** Waits for the event of a command to have its place, which takes EventStoreDB about a second, but not for ever; answers the place. */
export async function untilChained(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  commandId: string,
): Promise<number | undefined> {
  const find = async () => {
    const page = await store.readBack({ organization, limit: PAGE });
    return page.find(({ chain, metadata }) => chain !== null && metadata.command === commandId)?.chain?.revision;
  };
  return untilDefined(find);
}

/** Waits for a signed head at or above a place, which takes about a second, but not for ever. */
export async function untilSigned(
  signer: Pick<HeadSigner, 'signedHead'>,
  organization: string,
  revision = 0,
): Promise<void> {
  await untilDefined(async () => {
    const head = await signer.signedHead(organization);
    return head && head.revision >= revision ? head : undefined;
  });
}

async function untilDefined<T>(find: () => Promise<T | undefined>): Promise<T | undefined> {
  const until = performance.now() + SEALED_WITHIN_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined || performance.now() > until) return found;
    await setTimeout(LOOK_AGAIN_MS);
  }
}
