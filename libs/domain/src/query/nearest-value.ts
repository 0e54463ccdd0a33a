import { closest } from './suggestion';

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

const folded = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/^\/+|\/+$/g, '');

const beginsWith = (name: string, word: string): boolean =>
  name.startsWith(word) && /^[^\p{L}\p{N}]/u.test(name.slice(word.length));
