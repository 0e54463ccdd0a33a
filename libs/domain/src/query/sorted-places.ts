/** To be awaited between pieces of long work, so that other work goes on. */
export type Pause = () => Promise<void>;

const RUN = 2_048;
const MERGED_AT_ONCE = 4_096;

/**
 * The places 0 to size − 1 in order; equal ones keep theirs. A merge sort, as the language's own cannot be interrupted:
 * a million rows take it seconds.
 */
export async function sortedPlaces(
  size: number,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<Uint32Array> {
  let places = new Uint32Array(size).map((_, place) => place);
  for (let from = 0; from < size; from += RUN) {
    places.subarray(from, from + RUN).sort(compare);
    await pause();
  }
  let merged = new Uint32Array(size);
  for (let length = RUN; length < size; length *= 2) {
    for (let from = 0; from < size; from += 2 * length) {
      const [middle, to] = [Math.min(from + length, size), Math.min(from + 2 * length, size)];
      let [left, right] = [from, middle];
      for (let at = from; at < to; at++) {
        const isLeft = right >= to || (left < middle && compare(places[left] ?? 0, places[right] ?? 0) <= 0);
        merged[at] = (isLeft ? places[left++] : places[right++]) ?? 0;
        if (at % MERGED_AT_ONCE === 0) await pause();
      }
    }
    [places, merged] = [merged, places];
  }
  return places;
}
