import { distance } from 'fastest-levenshtein';
import { parseUrl } from '@ledgerline/contracts/parse-url';

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

/** A value of a field, and the texts that stand for it. */
export interface KnownValue {
  readonly value: string;
  readonly spellings: readonly string[];
}

/**
 * The known value that a text was probably meant for: the same but for case and slashes at its ends, the first one that
 * begins with it as a word (`de` → `de-DE`), or a similar one.
 */
export function nearestValue(text: string, known: readonly KnownValue[]): string | undefined {
  const wanted = folded(text);
  if (wanted === '') return undefined;
  const spelled = known.flatMap(({ value, spellings }) => spellings.map((name) => ({ value, name: folded(name) })));
  const found = (isMeant: (name: string) => boolean) => spelled.find(({ name }) => isMeant(name))?.value;
  const similar = () => {
    const names = spelled.map(({ name }) => name);
    const name = closest(wanted, names);
    return name === undefined ? undefined : found((other) => other === name);
  };
  return found((name) => name === wanted) ?? found((name) => beginsWith(name, wanted)) ?? similar();
}

/** Returns whether a value holds what a person types, as it is or as people read it. */
export function holdsTyped(value: string, typed: string): boolean {
  const host = /[^\0-\x7f]/.test(typed) ? parseUrl(`http://${typed.trim()}`)?.hostname : undefined;
  return readable(value).includes(readable(typed)) || (host !== undefined && value.includes(host));
}

const folded = (text: string): string => readable(text).replace(/^\/+|\/+$/g, '');

/** In lower case, with the letters that an address encodes. */
const readable = (text: string): string =>
  text
    .trim()
    .replace(/(?:%[0-9a-f]{2})+/gi, decoded)
    .normalize('NFC')
    .toLowerCase();

/** Decodes percent-encoded UTF-8; any other text stays as it is. */
function decoded(triplets: string): string {
  try {
    return decodeURIComponent(triplets);
  } catch {
    return triplets;
  }
}

const beginsWith = (name: string, word: string): boolean =>
  name.startsWith(word) && /^[^\p{L}\p{N}]/u.test(name.slice(word.length));
