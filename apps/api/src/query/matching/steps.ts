import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { SqlRow } from '../fields';
import type { MatchingSessions } from '../matching-sessions';
import type { FromSessions, QueryContext } from '../query-type';
import type { Transitions } from '../sql/transitions';
import { firstOf, leastOfPage, textsOf } from './ranked-rows';

interface Step {
  readonly from: number;
  readonly to: number;
  readonly transitions: number;
  readonly sessions: number;
}

interface CountedStep extends Step {
  transitions: number;
  sessions: number;
  /** The last session that took it; each session's steps come one after the other. */
  latest: number;
}

/** Steps from one page view of a counted session to the next one, by the paths of both. */
export const stepsByPaths: FromSessions = {
  paths: true,
  isSlow: true,
  rows(sessions, context, on) {
    const steps = stepsOf(sessions);
    return rankedSteps(on, context, steps, steps.length);
  },
};

/** The same rows of all sessions of the range. */
export const rankedTransitions = (
  on: Queryable,
  context: QueryContext,
  counted: Transitions,
): Promise<readonly SqlRow[]> => {
  const { size, from, to, transitions, sessions } = counted;
  const least = leastOfPage(transitions.subarray(0, size), context);
  const steps: Step[] = [];
  for (let at = 0; at < size; at++) {
    const taken = transitions[at] ?? 0;
    if (taken < least) continue;
    steps.push({ from: from[at] ?? 0, to: to[at] ?? 0, transitions: taken, sessions: sessions[at] ?? 0 });
  }
  return rankedSteps(on, context, steps, size);
};

async function rankedSteps(
  on: Queryable,
  context: QueryContext,
  steps: readonly Step[],
  total: number,
): Promise<readonly SqlRow[]> {
  const chosen = firstOf(steps, ['transitions', 'sessions'], context);
  const texts = await textsOf(on, [...new Set(chosen.flatMap(({ from, to }) => [from, to]))]);
  return chosen.map(({ from, to, transitions, sessions }) => ({
    ...{ from_path: texts.get(from) ?? '', to_path: texts.get(to) ?? '' },
    ...{ transitions, sessions, total_rows: total },
  }));
}

function stepsOf({ views, readHits, isCounted }: MatchingSessions): readonly Step[] {
  const steps = new Map<number, Map<number, CountedStep>>();
  const add = (from: number, to: number, place: number) => {
    const targets = steps.get(from) ?? new Map<number, CountedStep>();
    if (targets.size === 0) steps.set(from, targets);
    const step = targets.get(to) ?? { from, to, transitions: 0, sessions: 0, latest: -1 };
    if (step.transitions++ === 0) targets.set(to, step);
    if (step.latest !== place) step.sessions++;
    step.latest = place;
  };
  const read = new Set(readHits.map(({ place }) => place));
  const { paths, places } = views;
  for (let at = 1; at < paths.length; at++) {
    const place = places[at] ?? 0;
    if (place === places[at - 1] && !read.has(place)) add(paths[at - 1] ?? 0, paths[at] ?? 0, place);
  }
  const seen = readHits.filter(({ kind, place }) => kind === HIT.view && isCounted[place] === 1);
  for (const [at, { place, path }] of seen.entries()) {
    const before = seen[at - 1];
    if (before?.place === place) add(before.path, path, place);
  }
  return [...steps.values()].flatMap((targets) => [...targets.values()]);
}
