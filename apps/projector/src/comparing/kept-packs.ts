import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { KeptCount } from '@ledgerline/domain/counting/count';
import { columnsBetween, PackReader } from '@ledgerline/domain/counting/kept-bytes';
import { firstFrom, layoutOf, mergePacks, type KeptPack, type PackRows } from '@ledgerline/domain/counting/kept-pack';
import type { Window } from '@ledgerline/domain/sessions/local-session';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';

/** What a table keeps of a count. */
export interface StoredPacks {
  /** The rows that all packs add up to. */
  readonly pack: PackRows;
  readonly unreadable: readonly UnreadablePack[];
}

/** A pack whose bytes are damaged; what was in it is missing. */
export interface UnreadablePack {
  readonly website: number;
  /** The first day that its row says it has numbers of. */
  readonly day: number;
}

interface StoredPack {
  readonly website: number;
  readonly since: number;
  readonly until: number;
  readonly bytes: Uint8Array;
}

const ANY_DAY: Window = { since: -Infinity, until: Infinity };
const [FIRST, LAST] = [-(2 ** 31), 2 ** 31 - 1];

/** Of some websites and days; a row counts on the days alone that it says it has numbers of. */
export async function readPacks(
  on: Queryable,
  table: string,
  count: KeptCount,
  websites: readonly number[],
  { since, until }: Window = ANY_DAY,
): Promise<StoredPacks> {
  const column = identifier(count.name).text;
  const text = `select website, since, until, ${column} as bytes from ${table}
    where website = any($1::integer[]) and ${column} is not null and since <= $2 and until >= $3`;
  const values = [websites, Math.min(until, LAST), Math.max(since, FIRST)];
  const layout = layoutOf(count);
  const parts: PackRows[] = [];
  const unreadable: UnreadablePack[] = [];
  for (const { website, bytes, ...days } of await run<StoredPack>(on, { text, values })) {
    try {
      const pack = new PackReader(layout, bytes).whole();
      const both = { since: Math.max(since, days.since), until: Math.min(until, days.until) };
      parts.push(rowsOn(count, pack, website, both));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unreadable.push({ website, day: Math.max(since, days.since) });
    }
  }
  return { pack: mergePacks(layout, parts), unreadable };
}

/** The rows of a pack of one website on some days. */
export function rowsOn(count: KeptCount, pack: KeptPack, website: number, { since, until }: Window): PackRows {
  const days = pack.columns[0] as Numbers;
  const [from, to] = [firstFrom(days, since), firstFrom(days, until + 1)];
  const columns = [...columnsBetween(layoutOf(count), pack, from, to)];
  return { size: to - from, columns, website: new Int32Array(to - from).fill(website) };
}
