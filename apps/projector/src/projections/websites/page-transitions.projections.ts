import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { rollup, type Rollup } from './rollup';

const transitions = rollup(pageTransitions, ({ website, near }, add) => {
  for (const { session, enteredDay: day } of near) {
    if (day === undefined || session.pageviews < 2) continue;
    const paths = session.hits.filter(({ kind }) => kind === HIT.view).map(({ path }) => path);
    for (const [step, count] of stepsOf(paths)) {
      const [from_path, to_path] = step;
      add({ website, day, from_path, to_path, transitions: count, sessions: 1 });
    }
  }
});

export const TRANSITIONS: readonly Rollup[] = [transitions];

type Step = readonly [from: number, to: number];

/** Each pair of neighbours, and how often it occurs. */
function stepsOf(paths: readonly number[]): [Step, number][] {
  const steps = new Map<string, [Step, number]>();
  for (const [at, to] of paths.entries()) {
    const from = paths[at - 1];
    if (from === undefined) continue;
    const known = steps.get(`${from} ${to}`);
    if (known) known[1]++;
    else steps.set(`${from} ${to}`, [[from, to], 1]);
  }
  return [...steps.values()];
}
