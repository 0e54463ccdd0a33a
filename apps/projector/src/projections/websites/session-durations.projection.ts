import { COARSE } from '@ledgerline/contracts/read-models/blocks';
import { sessionDurations } from '@ledgerline/contracts/read-models/website-totals';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { rollup } from '../rollup';

export const sessionDurationsProjection = rollup(
  sessionDurations,
  ({ website, near }, add) => {
    for (const { session, enteredDay: day } of near) {
      if (day !== undefined) add({ website, width: 1, day, bin: durationBin(session.durationMs), sessions: 1 });
    }
  },
  (rows, add) => {
    for (const row of rows) {
      const bin = Math.floor((row.bin as number) / COARSE) * COARSE;
      add({ ...row, width: COARSE, bin });
      add(row);
    }
  },
);
