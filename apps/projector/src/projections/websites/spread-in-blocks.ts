import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { FoldedRows, type Value } from '@ledgerline/platform/database/read-model-rows';
import type { Spread } from '../rollup';

/** Rows of days, with the `span` 1, in every block of days the day lies in. */
export const inBlocks: Spread = (rows, add) => {
  for (const row of rows) for (const span of SPANS) add({ ...row, span, day: blockOf(row.day as number, span) });
};

/**
 * The same for rows of which one column counts somebodies, who were there before on `previous_day`: in a block they are
 * new only if they had not been there since it began, and of those who had been there before it a second row tells when.
 */
export const countedInBlocks =
  (counted: string, others: readonly string[] = []): Spread =>
  (rows, add) => {
    for (const row of rows) {
      const previous = row.previous_day as number;
      for (const span of SPANS) {
        const day = blockOf(row.day as number, span);
        const whole: Record<string, Value> = { ...row, span, day, previous_day: -Infinity };
        if (previous >= day) whole[counted] = 0;
        add(whole);
        if (previous >= day || previous === -Infinity) continue;
        const before: Record<string, Value> = { ...row, span, day };
        for (const name of others) before[name] = 0;
        add(before);
      }
    }
  };

/** The same for each value and for the sum of all of them, which is made first: that is far fewer rows. */
export const countedByValue =
  (model: ReadModel, spread: Spread): Spread =>
  (rows, add) => {
    const ofEvery = new FoldedRows(model);
    for (const row of rows) ofEvery.add({ ...row, value: EVERY_VALUE });
    spread(rows, add);
    spread(ofEvery.values(), add);
  };
