import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { MatchingSessions } from '../matching-sessions';
import type { FromSessions } from '../query-type';
import { firstOf, textsOf } from './ranked-rows';

interface Step {
  readonly from: number;
  readonly to: number;
  transitions: number;
  sessions: number;
  /** The last session that took it; each session's steps come one after the other. */
  latest: number;
}

/** Steps from one page view of a counted session to the next one, by the paths of both. */
export const stepsByPaths: FromSessions = {
  paths: true,
  isSlow: true,
  async rows(sessions, context, on) {
    const steps = [...stepsOf(sessions).values()];
    const chosen = firstOf(steps, ['transitions', 'sessions'], context);
    const texts = await textsOf(on, [...new Set(chosen.flatMap(({ from, to }) => [from, to]))]);
    return chosen.map(({ from, to, ...counts }) => ({
      ...counts,
      from_path: texts.get(from) ?? '',
      to_path: texts.get(to) ?? '',
      total_rows: steps.length,
    }));
  },
};

const HIGH = 2 ** 32;

/** By both of their paths. */
function stepsOf({ views, readHits, isCounted }: MatchingSessions): Map<number, Step> {
  const steps = new Map<number, Step>();
  const add = (from: number, to: number, place: number) => {
    const step = steps.get(from * HIGH + to) ?? { from, to, transitions: 0, sessions: 0, latest: -1 };
    if (step.transitions++ === 0) steps.set(from * HIGH + to, step);
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
  return steps;
}
