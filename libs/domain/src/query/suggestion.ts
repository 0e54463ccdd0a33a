import { distance } from 'fastest-levenshtein';

/** The most similar name, or undefined if none is close. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const lower = word.slice(0, 100).toLowerCase();
  const allowed = editsAllowed(lower.length);
  let best: { name: string; off: number } | undefined;
  for (const name of names) {
    const off = distance(lower, name.toLowerCase());
    if (off <= allowed && off < (best?.off ?? Infinity)) best = { name, off };
  }
  return best?.name;
}

/** Far fewer than the word has letters, as any other short word is only so many edits away. */
function editsAllowed(length: number): number {
  if (length < 4) return 0;
  return length <= 5 ? 1 : Math.max(2, Math.floor(length / 3));
}
