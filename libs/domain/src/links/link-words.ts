import type { LinkDetails } from '@ledgerline/contracts/events/link.events';

/** Long texts and addresses are found by their first words, long words by their beginning. */
const MAX_WORDS = 100;
const MAX_LENGTH = 64;
/** A single character begins too many words. */
const MIN_BEGINNING = 2;
const MARK_LENGTH = 4;

/** The words by which a link is found: those of its name, slug and destination. */
export const linkWords = ({ organizationId, name, slug, targetUrl }: LinkDetails): readonly string[] =>
  indexWords(organizationId, `${name} ${slug} ${targetUrl}`);

/**
 * The search for a text as a `tsquery`: a link has all of its words, of which the last one may be the beginning of one.
 * No link has what a search without words asks for.
 */
export function wordQuery(organizationId: string, search: string): string {
  const words = indexWords(organizationId, search);
  const isBeginning = (word: string) => word === words.at(-1) && word.length >= MARK_LENGTH + MIN_BEGINNING;
  return words.map((word) => `'${word}'${isBeginning(word) ? ':*' : ''}`).join(' & ');
}

/**
 * The different words of a text, in lower case, each behind a mark of the organization, so that one index holds the
 * words of (almost) all organizations apart. A word is a run of letters and digits; percent-encoded text is read as what
 * it means.
 */
export function indexWords(organizationId: string, text: string): readonly string[] {
  const words = /[\p{L}\p{M}\p{N}]+/gu;
  const found = decoded(text).normalize('NFKC').toLowerCase().match(words) ?? [];
  const mark = organizationId.replace(/\W/g, '').slice(-MARK_LENGTH).toLowerCase();
  return [...new Set(found.map((word) => mark + cut(word)))].slice(0, MAX_WORDS);
}

/** Never in the middle of a surrogate pair. */
const cut = (word: string): string =>
  word.length <= MAX_LENGTH ? word : Array.from(word).slice(0, MAX_LENGTH).join('');

function decoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}
