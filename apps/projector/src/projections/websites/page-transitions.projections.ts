import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { intoBlocks } from './into-blocks';
import { rollup, type Expand, type Rollup } from './rollup';

const ofLatestDay: Expand = (rows, add, isClosed) => {
  for (const row of rows) if (!isClosed(row)) add(row);
};

const asHistograms: Expand = (rows, add, isClosed) => {
  const days = new FoldedRows(pageTransitions);
  for (const row of rows) {
    if (!isClosed(row)) continue;
    const { website = null, day = null, from_path = null, to_path, transitions, sessions } = row;
    const counts = [sessions as number, (transitions as number) - (sessions as number)];
    for (const [repeated, count] of counts.entries()) {
      const steps = [to_path as number, count];
      if (count !== 0) days.add({ website, span: 1, day, from_path, repeated, steps, taken: count });
    }
  }
  intoBlocks(days.values(), add, isClosed);
};

const transitions: Rollup = {
  ...rollup(
    latestTransitions,
    ({ website, near }, add) => {
      for (const { session, enteredDay: day } of near) {
        if (day === undefined || session.pageviews < 2) continue;
        const seen = new Map<number, Set<number>>();
        let from_path: number | undefined;
        for (const { kind, path: to_path } of session.hits) {
          if (kind !== HIT.view) continue;
          if (from_path !== undefined) {
            const sessions = isNew(seen, from_path, to_path) ? 1 : 0;
            add({ website, day, from_path, to_path, transitions: 1, sessions });
          }
          from_path = to_path;
        }
      }
    },
    ofLatestDay,
  ),
  closed: { builds: pageTransitions, expand: asHistograms },
};

export const TRANSITIONS: readonly Rollup[] = [transitions];

function isNew(seen: Map<number, Set<number>>, from: number, to: number): boolean {
  const known = seen.get(from);
  if (!known) seen.set(from, new Set([to]));
  else if (known.has(to)) return false;
  else known.add(to);
  return true;
}
