import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { compareText, type Row } from '@ledgerline/domain/query/rows';
import { sortedPlaces } from '@ledgerline/domain/query/sorted-places';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { SqlRow } from '../fields';
import type { SessionColumns } from './session-columns';
import { byCounts, type AggregateInMemory, type QueryContext } from '../query-type';
import type { Transitions } from '../sql/transitions';
import { leastOfPage, textsOf } from './ranked-rows';

/** Steps from one page view of a counted session to the next one, by the paths of both. */
export const stepsByPaths: AggregateInMemory = {
  paths: true,
  isSlow: true,
  rows: (sessions, context, on) => rankedTransitions(on, context, stepsOf(sessions)),
};

export const STEP_ORDER = byCounts(['transitions', 'sessions'], 'from_path', 'to_path');

/** Of paths by id; one without a text is the empty one. */
type Texts = ReadonlyMap<number, string>;

/** The rows up to the end of the page, in their order: as typed arrays, a million pairs of paths take little memory. */
export async function rankedTransitions(
  on: Queryable,
  context: QueryContext,
  steps: Transitions,
): Promise<readonly SqlRow[]> {
  const likely = likelyPlaces(steps, context);
  const texts = await textsOf(on, pathsOf(steps, likely));
  const textOf = (path = NO_TEXT) => texts.get(path) ?? '';
  const places = context.beside ? placesOf(context.beside, steps, likely, textOf) : likely;
  const sorted = await sortedPlaces(places.length, comparing(steps, places, context, texts), yieldToEventLoop());
  const { page, limit } = context.page;
  return mapInSlices(sorted.subarray(0, page * limit), (nth) => {
    const place = places[nth] ?? 0;
    const [from_path, to_path] = [textOf(steps.from[place]), textOf(steps.to[place])];
    const [transitions, sessions] = [steps.transitions[place], steps.sessions[place]];
    return { from_path, to_path, transitions, sessions, total_rows: steps.size };
  });
}

/** Those that may be on the page. */
function likelyPlaces({ size, transitions }: Transitions, context: QueryContext): Uint32Array {
  const least = leastOfPage(transitions.subarray(0, size), context);
  const places = new Uint32Array(size);
  let found = 0;
  for (let place = 0; place < size; place++) if ((transitions[place] ?? 0) >= least) places[found++] = place;
  return places.subarray(0, found);
}

function pathsOf({ from, to }: Transitions, places: Uint32Array): readonly number[] {
  const paths = new Set<number>();
  for (const place of places) paths.add(from[place] ?? 0).add(to[place] ?? 0);
  return [...paths];
}

/** Those of the places that these rows are about. */
function placesOf(
  rows: readonly Row[],
  { from, to }: Transitions,
  places: Uint32Array,
  textOf: (path: number | undefined) => string,
): Uint32Array {
  const wanted = new Map<unknown, Set<unknown>>();
  for (const { from_path: source, to_path: target } of rows) {
    wanted.set(source, (wanted.get(source) ?? new Set()).add(target));
  }
  return places.filter((place) => wanted.get(textOf(from[place]))?.has(textOf(to[place])));
}

/** Compares two of these places, by their number; paths by the rank of their text. */
function comparing(
  steps: Transitions,
  places: Uint32Array,
  { sort }: QueryContext,
  texts: Texts,
): (a: number, b: number) => number {
  const sorted = [...texts].sort(([, a], [, b]) => compareText(a, b));
  const ranks = new Map(sorted.map(([path], rank) => [path, rank]));
  const rankOf = (path = NO_TEXT) => ranks.get(path) ?? -1;
  const values: Readonly<Record<string, (place: number) => number>> = {
    from_path: (place) => rankOf(steps.from[place]),
    to_path: (place) => rankOf(steps.to[place]),
    transitions: (place) => steps.transitions[place] ?? 0,
    sessions: (place) => steps.sessions[place] ?? 0,
  };
  const orders = [...(sort ? [sort] : []), ...STEP_ORDER].flatMap(({ field, direction }) => {
    const value = values[field];
    return value ? [{ value, sign: direction === 'asc' ? 1 : -1 }] : [];
  });
  return (a, b) => {
    const [first, second] = [places[a] ?? 0, places[b] ?? 0];
    for (const { value, sign } of orders) {
      const difference = value(first) - value(second);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };
}

interface CountedStep {
  readonly from: number;
  readonly to: number;
  transitions: number;
  sessions: number;
  /** The last session that took it; each session's steps come one after the other. */
  latest: number;
}

function stepsOf({ views, readHits, isCounted }: SessionColumns): Transitions {
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
  const all = [...steps.values()].flatMap((targets) => [...targets.values()]);
  return {
    size: all.length,
    from: Int32Array.from(all, (step) => step.from),
    to: Int32Array.from(all, (step) => step.to),
    transitions: Float64Array.from(all, (step) => step.transitions),
    sessions: Float64Array.from(all, (step) => step.sessions),
  };
}
