import type { InstantRange } from '../query/buckets';

/** Buckets that follow each other without gaps, in which windows are counted. */
export interface WindowSeries {
  readonly buckets: readonly InstantRange[];
  /** The windows that it answers, by their places in the list, with the first bucket of each and that after its last. */
  readonly windows: readonly { readonly place: number; readonly first: number; readonly end: number }[];
}

/** Windows that lie so far apart are not counted in one range: nothing between them is read. */
const FAR_APART_MS = 36 * 3_600_000;

/**
 * The series in which windows are counted, as few as there can be: of figures that add up one for all that lie near each
 * other, with buckets between all of their bounds; of others so many that the windows of each do not overlap.
 */
export function windowSeries(windows: readonly InstantRange[], isAdditive: boolean): readonly WindowSeries[] {
  const sorted = windows.map((window, place) => ({ ...window, place })).sort((a, b) => a.from - b.from || a.to - b.to);
  return groupsOf(sorted).flatMap((near) => (isAdditive ? [betweenBounds(near)] : withoutOverlaps(near)));
}

interface PlacedWindow extends InstantRange {
  readonly place: number;
}

function groupsOf(sorted: readonly PlacedWindow[]): readonly PlacedWindow[][] {
  const groups: PlacedWindow[][] = [];
  let until = -Infinity;
  for (const window of sorted) {
    const group = groups.at(-1);
    if (group && window.from - until < FAR_APART_MS) group.push(window);
    else groups.push([window]);
    until = Math.max(until, window.to);
  }
  return groups;
}

function betweenBounds(windows: readonly PlacedWindow[]): WindowSeries {
  const bounds = [...new Set(windows.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const places = new Map(bounds.map((at, place) => [at, place]));
  return {
    buckets: bounds.slice(1).map((to, nth) => ({ from: bounds[nth] ?? to, to })),
    windows: windows.map(({ place, from, to }) => ({ place, first: places.get(from) ?? 0, end: places.get(to) ?? 0 })),
  };
}

/** Each window goes where the last one ended before; what is left between two of them is a bucket that nobody asks for. */
function withoutOverlaps(sorted: readonly PlacedWindow[]): readonly WindowSeries[] {
  const series: { buckets: InstantRange[]; windows: WindowSeries['windows'][number][]; until: number }[] = [];
  for (const { place, from, to } of sorted) {
    let at = series.find(({ until }) => until <= from);
    if (!at) series.push((at = { buckets: [], windows: [], until: from }));
    if (at.until < from) at.buckets.push({ from: at.until, to: from });
    at.windows.push({ place, first: at.buckets.length, end: at.buckets.length + 1 });
    at.buckets.push({ from, to });
    at.until = to;
  }
  return series;
}
