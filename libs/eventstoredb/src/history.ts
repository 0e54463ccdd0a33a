import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type {
  ChainPlace,
  HistoryEntry,
  HistoryPage,
  RecordedEvent,
} from '@ledgerline/platform/event-store/event-store';
import type { Connection } from './connection';
import { isForeign, toRecorded } from './envelope';
import { compareCursors, numberInHistory, toHistoryCursor, toPosition } from './position';
import type { Seals } from './seals';

/** An event, its number in the organization's category stream, and as it is stored. */
type Numbered = readonly [entry: RecordedEvent, number: number, stored: StoredEvent];

/** Longer than sealers are away while they are restarted or upgraded, ms. */
const SEALED_WITHIN_MS = 5 * 60_000;

/**
 * One page of `$ce-<organization>`, newest first, each event with the place its seal gives it.
 * A link whose event is gone is left out of the page; verification of the chain reports it.
 */
export async function readHistory(
  connection: Connection,
  seals: Seals,
  { organization, before, limit }: HistoryPage,
): Promise<HistoryEntry[]> {
  const entries: Numbered[] = [];
  for (let start = startOf(before); entries.length < limit && start !== 0n;) {
    const page = await connection.readStream(`$ce-${organization}`, {
      direction: 'backwards',
      maxCount: limit,
      resolveLinks: true,
      ...(start === undefined ? {} : { from: start - 1n }),
    });
    for (const { event, link } of page) {
      if (!event?.position || !link) continue;
      const cursor = toHistoryCursor(event.position, Number(link.revision));
      if (before !== undefined && compareCursors(cursor, before) >= 0) continue;
      entries.push([{ ...toRecorded(event), cursor }, Number(link.revision), event]);
    }
    start = page.at(-1)?.link?.revision ?? 0n;
  }
  return withPlaces(seals, organization, entries.slice(0, limit));
}

async function withPlaces(seals: Seals, organization: string, page: readonly Numbered[]): Promise<HistoryEntry[]> {
  const [newest, oldest] = [page[0], page.at(-1)];
  if (!newest || !oldest) return [];
  const places = await seals.places(organization, oldest[1], newest[1]);
  return page.map(([entry, , stored]) => {
    const chain = places.get(entry.id) ?? null;
    return { ...entry, chain, ...doubtIn(stored, chain) };
  });
}

/** The age is by the clock of the server: the time of recording is as the writer of the event says. */
function doubtIn(stored: StoredEvent, chain: ChainPlace | null): Pick<HistoryEntry, 'doubt'> {
  if (!chain && Date.now() - stored.created.getTime() > SEALED_WITHIN_MS) return { doubt: 'overdue' };
  return isForeign(stored) ? { doubt: 'foreign' } : {};
}

/** The number from which on events are too new; undefined = none are, or it is unknown. */
function startOf(before: string | undefined): bigint | undefined {
  if (before === undefined) return undefined;
  if (!toPosition(before)) return 0n;
  const number = numberInHistory(before);
  return number === undefined ? undefined : BigInt(number);
}
