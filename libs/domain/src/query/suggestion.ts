import { distance } from 'fastest-levenshtein';

/** The most similar name, or undefined if none is close. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const lower = word.slice(0, 100).toLowerCase();
  const allowed = Math.max(2, Math.floor(lower.length / 3));
  let best: { name: string; off: number } | undefined;
  for (const name of names) {
    const off = distance(lower, name.toLowerCase());
    if (off <= allowed && off < (best?.off ?? Infinity)) best = { name, off };
  }
  return best?.name;
}
