import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { intoBlocks } from './into-blocks';
import { rollup, type Rollup } from './rollup';

const transitions = rollup(
  pageTransitions,
  ({ website, near }, add) => {
    for (const { session, enteredDay: day } of near) {
      if (day === undefined || session.pageviews < 2) continue;
      const seen = new Map<number, Set<number>>();
      let from_path: number | undefined;
      for (const { kind, path } of session.hits) {
        if (kind !== HIT.view) continue;
        if (from_path !== undefined) {
          const repeated = isNew(seen, from_path, path) ? 0 : 1;
          add({ website, span: 1, day, from_path, repeated, steps: [path, 1] });
        }
        from_path = path;
      }
    }
  },
  intoBlocks,
);

export const TRANSITIONS: readonly Rollup[] = [transitions];

function isNew(seen: Map<number, Set<number>>, from: number, to: number): boolean {
  const known = seen.get(from);
  if (!known) seen.set(from, new Set([to]));
  else if (known.has(to)) return false;
  else known.add(to);
  return true;
}
