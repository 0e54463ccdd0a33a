import type { HistoryEntry, HistoryPage } from '../event-store';
import type { Connection } from './connection';
import { toRecorded } from './envelope';
import { compareCursors, numberInHistory, toHistoryCursor, toPosition } from './position';
import type { Seals } from './seals';

/** An event and its number in the organization's category stream. */
type Numbered = readonly [entry: Omit<HistoryEntry, 'chain'>, number: number];

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
      entries.push([{ ...toRecorded(event), cursor }, Number(link.revision)]);
    }
    start = page.at(-1)?.link?.revision ?? 0n;
  }
  return withPlaces(seals, organization, entries.slice(0, limit));
}

async function withPlaces(seals: Seals, organization: string, page: readonly Numbered[]): Promise<HistoryEntry[]> {
  const [newest, oldest] = [page[0], page.at(-1)];
  if (!newest || !oldest) return [];
  const places = await seals.places(organization, oldest[1], newest[1]);
  return page.map(([entry]) => ({ ...entry, chain: places.get(entry.id) ?? null }));
}

/** The number from which on events are too new; undefined = none are, or it is unknown. */
function startOf(before: string | undefined): bigint | undefined {
  if (before === undefined) return undefined;
  if (!toPosition(before)) return 0n;
  const number = numberInHistory(before);
  return number === undefined ? undefined : BigInt(number);
}
