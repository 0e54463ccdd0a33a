import { run, type Queryable } from '../database/pool';
import { emptySql, sql } from '../database/sql';
import { isConsistent, type SealedLink } from './chain-link';
import { historyColumns, toHistoryEntry, type HistoryRow } from './event-row';
import type { Hash, HistoryEntry } from './event-store';

interface Page {
  readonly organization: string;
  /** Only events before this position; undefined = from the newest. */
  readonly end: number | undefined;
  readonly limit: number;
}

/** The head of the chain, in the same snapshot. */
type Row = HistoryRow & { readonly head: Hash; readonly head_revision: string };

/** One page of an organization's history, newest first; the events above and below it are read to judge those at its ends. */
export async function readHistory(database: Queryable, { organization, end, limit }: Page): Promise<HistoryEntry[]> {
  const own = sql`organization = ${organization}`;
  const above = sql`select min(position) from events where ${own} and position >= ${end ?? null}`;
  const older = end === undefined ? emptySql : sql`and position <= coalesce((${above}), ${end})`;
  const rows = await run<Row>(
    database,
    sql`select ${historyColumns}, head.*
        from events left join (select encode(hash, 'hex') as head, revision as head_revision
                               from organization_chains where ${own}) head on true
        where ${own} ${older} order by position desc limit ${limit + 2}`,
  );
  const entries = rows.map(toHistoryEntry);
  const judged = entries.map((entry, n): HistoryEntry => {
    const [above, below] = [entries[n - 1], entries[n + 1]];
    const isFollowed = isFollowedBy(entry, above, rows[n]?.head);
    return isFollowed && isInPlace(entry, above?.chain.revision ?? Number(rows[n]?.head_revision) + 1, below)
      ? entry
      : { ...entry, doubt: 'replaced' };
  });
  return judged.filter(({ cursor }) => end === undefined || Number(cursor) < end).slice(0, limit);
}

/** An event above that is itself not what its hash says proves nothing of this one. */
const isFollowedBy = ({ chain }: SealedLink, above: SealedLink | undefined, head: Hash | undefined): boolean =>
  above === undefined ? chain.hash === head : chain.hash === above.chain.previousHash || !isConsistent(above);

/** Hashes do not cover the place. One that follows on either neighbour has its own; where both differ, this event was moved. */
const isInPlace = ({ chain }: SealedLink, above: number, below: SealedLink | undefined): boolean =>
  chain.revision === above - 1 || chain.revision === (below?.chain.revision ?? -1) + 1;
