import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';

/** Rows of steps of single days as histograms, in all blocks that the days lie in. */
export function asHistograms(rows: readonly Row[]): readonly Row[] {
  const blocks = new FoldedRows(pageTransitions);
  for (const { website = null, day, from_path = null, to_path, transitions, sessions } of rows) {
    const counts = [sessions as number, (transitions as number) - (sessions as number)];
    for (const [repeated, count] of counts.entries()) {
      if (count === 0) continue;
      for (const span of SPANS) {
        const steps = [to_path as number, count];
        blocks.add({ website, span, day: blockOf(day as number, span), from_path, repeated, steps, taken: count });
      }
    }
  }
  return blocks.values();
}
