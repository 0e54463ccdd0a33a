import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import type { Spread } from '../rollup';

/** A row of a day, with the `span` 1, in every block of days the day lies in. */
export const inBlocks: Spread = (row) => SPANS.map((span) => ({ ...row, span, day: blockOf(row.day as number, span) }));

/**
 * The same for a row of which one column counts somebodies, who were there before on `previous_day`: in a block they are
 * new only if they had not been there since it began, and of those who had been there before it a second row tells when.
 */
export const countedInBlocks =
  (counted: string, others: readonly string[] = []): Spread =>
  (row) => {
    const previous = row.previous_day as number;
    const none = Object.fromEntries(others.map((name) => [name, 0]));
    return inBlocks(row).flatMap((block): Row[] => {
      const isNew = previous < (block.day as number);
      const whole = { ...block, previous_day: -Infinity, [counted]: isNew ? (row[counted] ?? 0) : 0 };
      return isNew && previous !== -Infinity ? [whole, { ...block, ...none }] : [whole];
    });
  };

/** The same for each value and for the sum of all of them. */
export const countedByValue =
  (spread: Spread): Spread =>
  (row) => [...spread(row), ...spread({ ...row, value: EVERY_VALUE })];
