import type { Presence } from './presence';
import type { Stay, Unit } from './stay';

/** Says of a stay which values were there on which days. */
export type Telling = (stay: Stay, tell: Tell) => void;
type Tell = (value: number, day: number, pageviews: number, sessions: number) => void;

/**
 * The presences of these values that their days inside the window follow from, and the first one after it: all of
 * those near, and on either side as many as it takes to meet each value once.
 */
export function presencesAround(unit: Unit, values: ReadonlySet<number>, telling: Telling): readonly Presence[] {
  const presences: Presence[] = [];
  if (values.size === 0) return presences;
  const tell: Tell = (value, day, pageviews, sessions) => {
    if (values.has(value)) presences.push({ value, day, pageviews, sessions });
  };
  for (const stay of unit.near) telling(stay, tell);
  tellNearest(unit.earlier, ({ days }) => -days.until, -1);
  tellNearest(unit.later, ({ days }) => days.since, 1);
  return presences;

  /** The stays in the order of their distances; one that is farther away than each value was met tells nothing new. */
  function tellNearest(stays: readonly Stay[], distanceOf: (stay: Stay) => number, sign: 1 | -1): void {
    const met = new Map<number, number>();
    for (const stay of stays) {
      if (met.size === values.size && Math.max(...met.values()) < distanceOf(stay)) return;
      const from = presences.length;
      telling(stay, tell);
      for (let at = from; at < presences.length; at++) {
        const { value, day } = presences[at] as Presence; // within its bounds
        met.set(value, Math.min(met.get(value) ?? Infinity, sign * day));
      }
    }
  }
}
