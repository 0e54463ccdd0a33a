import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { FoldedRows, type Row, type Value } from '@ledgerline/platform/database/read-model-rows';
import type { Expand, IsClosed } from './rollup';

const [DAY = 1] = SPANS;

const spansOf = (row: Row, isClosed: IsClosed): readonly number[] => (isClosed(row) ? SPANS : [DAY]);

/** Expands rows of days (`span` 1) to every block of days that the day lies in; an open day is in no longer block yet. */
export const intoBlocks: Expand = (rows, add, isClosed) => {
  for (const row of rows) {
    for (const span of spansOf(row, isClosed)) add({ ...row, span, day: blockOf(row.day as number, span) });
  }
};

/**
 * The same for rows with columns of distinct counts and the `previous_day` of those counted: a block counts them only
 * if that day lies before it, and a second row holds those who were there before the block, by their `previous_day`.
 */
export const distinctIntoBlocks =
  (counted: readonly string[], others: Readonly<Record<string, Value>> = {}): Expand =>
  (rows, add, isClosed) => {
    for (const row of rows) {
      const previous = row.previous_day as number;
      for (const span of spansOf(row, isClosed)) {
        const day = blockOf(row.day as number, span);
        const whole: Record<string, Value> = { ...row, span, day, previous_day: -Infinity };
        if (previous >= day) for (const name of counted) whole[name] = 0;
        add(whole);
        if (previous >= day || previous === -Infinity) continue;
        add({ ...row, span, day, ...others });
      }
    }
  };

/** The same for each value and for the sum of all values, which is folded first: that makes far fewer rows. */
export const withEveryValue =
  (model: ReadModel, expand: Expand): Expand =>
  (rows, add, isClosed) => {
    const ofEvery = new FoldedRows(model);
    for (const row of rows) ofEvery.add({ ...row, value: EVERY_VALUE });
    expand(rows, add, isClosed);
    expand(ofEvery.values(), add, isClosed);
  };
