/** The values that would be at these ascending ranks (from 0) if all were sorted; NaN where there is none. It moves them. */
export function valuesAtRanks(values: Float64Array, ranks: readonly number[]): number[] {
  let least = 0;
  return ranks.map((rank) => {
    let [low, high] = [least, values.length - 1];
    while (low < high) {
      const [until, from] = partition(values, low, high);
      if (rank <= until) high = until;
      else if (rank >= from) low = from;
      else break;
    }
    least = Math.max(rank, 0);
    return values[rank] ?? NaN;
  });
}

/** The value at one rank. */
export const valueAtRank = (values: Float64Array, rank: number): number => valuesAtRanks(values, [rank])[0] ?? NaN;

/**
 * Moves the smaller values between two places before the greater ones: none up to the first place of the answer is
 * greater than one from the second place on, and those between are equal. Around a random value, as no order of the
 * values makes that slow.
 */
function partition(values: Float64Array, low: number, high: number): readonly [until: number, from: number] {
  const pivot = values[low + Math.floor(Math.random() * (high - low + 1))] ?? 0;
  let [left, right] = [low, high];
  while (left <= right) {
    while ((values[left] ?? 0) < pivot) left++;
    while ((values[right] ?? 0) > pivot) right--;
    if (left > right) break;
    const smaller = values[right] ?? 0;
    values[right--] = values[left] ?? 0;
    values[left++] = smaller;
  }
  return [right, left];
}
