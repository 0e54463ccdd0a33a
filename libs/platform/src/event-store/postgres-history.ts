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

/** The hash of the newest event, in the same snapshot. */
type Row = HistoryRow & { readonly head: Hash };

/** One page of an organization's history, newest first; the event above it, if there is one, is read to judge the newest of the page. */
export async function readHistory(database: Queryable, { organization, end, limit }: Page): Promise<HistoryEntry[]> {
  const own = sql`organization = ${organization}`;
  const above = sql`select min(position) from events where ${own} and position >= ${end ?? null}`;
  const older = end === undefined ? emptySql : sql`and position <= coalesce((${above}), ${end})`;
  const rows = await run<Row>(
    database,
    sql`select ${historyColumns}, (select encode(chain.hash, 'hex') from organization_chains chain where ${own}) as head
        from events where ${own} ${older} order by position desc limit ${limit + 1}`,
  );
  const entries = rows.map(toHistoryEntry);
  const judged = entries.map((entry, n): HistoryEntry => {
    const isFollowed = isFollowedBy(entry, entries[n - 1], rows[n]?.head);
    return isFollowed ? entry : { ...entry, doubt: 'replaced' };
  });
  return judged.filter(({ cursor }) => end === undefined || Number(cursor) < end).slice(0, limit);
}

/** An event above that is itself not what its hash says proves nothing of this one. */
const isFollowedBy = ({ chain }: SealedLink, above: SealedLink | undefined, head: Hash | undefined): boolean =>
  above === undefined ? chain.hash === head : chain.hash === above.chain.previousHash || !isConsistent(above);
