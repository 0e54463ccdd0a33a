import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { columnOfKey } from './aggregate-terms';
import type { ChangedRows } from './changed-rows';
import type { ChangedSessions } from './changed-sessions';
import { DenseCodes, take } from './columns';
import { mapRecordValues } from './tables';

/** Rows of what is kept, by website, day of its own zone and the keys of a rollup. */
export interface DeltaRows {
  readonly size: number;
  readonly website: Numbers;
  /** Since 1970-01-01. */
  readonly day: Numbers;
  /** By the texts of keys. */
  readonly keys: Readonly<Record<string, Numbers>>;
}

/** The items of a rollup by its keys. */
export interface Grouped {
  readonly of: ChangedRows;
  /** Numbers of the values of its keys; -1 = it is left out. */
  readonly codes: Int32Array;
  readonly rowsAt: (items: Int32Array) => DeltaRows;
}

export function groupRollupItems(rollup: Rollup, changed: ChangedSessions): Grouped {
  const of = changed.itemsOf(rollup);
  const { items } = of;
  const isEmpty = of.moved.length === 0;
  const keys = Object.fromEntries(
    isEmpty ? [] : rollup.keys.map(({ text, key }) => [text, columnOfKey(key, items)] as const),
  );
  const rowsAt = (places: Int32Array): DeltaRows => ({
    size: places.length,
    website: take(of.websites, places),
    day: take(of.days, places),
    keys: mapRecordValues(keys, (key) => take(key, places)),
  });
  return { of, codes: isEmpty ? new Int32Array() : codesOf(of, Object.values(keys)), rowsAt };
}

const CODES = new DenseCodes();

/** Dense numbers of the values that items have in all of these columns; negative values leave an item out. */
function codesOf({ isIn }: ChangedRows, columns: readonly Numbers[]): Int32Array {
  const codes = new Int32Array(isIn.length);
  for (let at = 0; at < codes.length; at++) if (isIn[at] === 0) codes[at] = -1;
  let most = 1;
  for (const column of columns) {
    CODES.clear(codes.length);
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] as number;
      const value = column[at] as number;
      codes[at] = code < 0 || value < 0 ? -1 : CODES.numberOf(value * most + code);
    }
    most = CODES.size;
  }
  return codes;
}
