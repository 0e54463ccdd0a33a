import { normalHost } from '@ledgerline/contracts/parse-url';

/**
 * The characters that an address holds encoded; `URL` encodes most of them, but `^` in new versions only, and others in
 * no query.
 */
const UNSAFE = /[^\x21-\x7e]+|["<>^`{}]/g;
const TRIPLET = /%[0-9a-f]{2}/gi;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
/** A `%` that begins no triplet, and what would make it one together with a digit. */
const BEGUN_TRIPLET = /%[0-9a-f]?$/i;

/**
 * The path or query string of an address, or a part of it, with its percent-encodings as RFC 3986 §6.2.2 has them: `%5f` is
 * `_`, `%c3` is `%C3`, `ö` is `%C3%B6`. What is no encoding (`%zz`) stays. The normal form of a normal form is the same.
 */
export function normalEncoding(text: string): string {
  const encoded = text.replace(UNSAFE, (signs) => encodeURIComponent(signs.toWellFormed()));
  if (!encoded.includes('%')) return encoded;
  return encoded.replace(TRIPLET, (triplet, at: number) => {
    const sign = String.fromCharCode(parseInt(triplet.slice(1), 16));
    const isKept = !UNRESERVED.test(sign) || BEGUN_TRIPLET.test(encoded.slice(Math.max(at - 2, 0), at));
    return isKept ? triplet.toUpperCase() : sign;
  });
}

/** The path of an address: encoded as above, without a slash at its end. */
export function normalPath(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return normalEncoding(path.slice(0, end));
}

/** A web address as a whole; changes its host. */
export function normalHref(url: URL): string {
  url.hostname = normalHost(url.hostname);
  return normalEncoding(url.href);
}

/** Languages by the codes that other browsers or older ones send for them (Unicode CLDR, but for the names of scripts). */
const OTHER_CODES: readonly (readonly [other: string, language: string])[] = [
  ['in', 'id'],
  ['iw', 'he'],
  ['ji', 'yi'],
  ['jw', 'jv'],
  ['mo', 'ro'],
  ['no', 'nb'],
  ['tl', 'fil'],
];

/** A language tag in one form: `en_us` is `en-US`, `iw` is `he`. */
export const normalLanguage = (tag: string): string =>
  renamed(languageInCase(tag), (code) => OTHER_CODES.find(([other]) => other === code)?.[1]);

/** The forms of a language tag in which it was recorded before its code had one form. */
export const otherLanguages = (tag: string): readonly string[] =>
  OTHER_CODES.map(([other, language]) => renamed(tag, (code) => (code === language ? other : undefined))).filter(
    (each) => each !== tag,
  );

const renamed = (tag: string, codeOf: (code: string) => string | undefined): string =>
  tag.replace(/^[^-]+/, (code) => codeOf(code) ?? code);

/** A language tag in the case of BCP 47 (RFC 5646 §2.1.1), without what locales of systems add: `en_us.UTF-8` is `en-US`. */
export function languageInCase(tag: string): string {
  const [language = '', ...subtags] = tag
    .replace(/[.@].*$/, '')
    .toLowerCase()
    .split(/[-_]/);
  const extension = [language, ...subtags].findIndex((part) => part.length === 1);
  const inCase = (part: string, at: number) => {
    if (extension !== -1 && at + 1 > extension) return part;
    if (part.length === 2) return part.toUpperCase();
    return part.length === 4 ? part.charAt(0).toUpperCase() + part.slice(1) : part;
  };
  return [language, ...subtags.map(inCase)].join('-');
}

/** More marks on one sign than any language has (UAX 15, stream-safe text): to sort them takes the square of their number. */
const PILED_MARKS = /((?:^|\P{M})\p{M}{30})\p{M}+/gu;

/** Text in Unicode NFC, without marks beyond thirty on one sign; nothing below U+0300 can change. */
export const normalText = (text: string): string =>
  /[\u0300-\uffff]/.test(text) ? text.replace(PILED_MARKS, '$1').normalize('NFC') : text;
