import { sessionDurations } from '@ledgerline/contracts/read-models/website-totals';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { rollup } from '../rollup';

export const sessionDurationsProjection = rollup(sessionDurations, ({ website, near }, add) => {
  for (const { session, enteredDay: day } of near) {
    if (day !== undefined) add({ website, day, bin: durationBin(session.durationMs), sessions: 1 });
  }
});
