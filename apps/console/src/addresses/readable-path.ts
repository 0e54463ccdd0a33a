/** What one reads in the place of another letter: a word of Latin letters holds none of them. */
const LOOKS_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;
/** Characters that are seen, and seen where they stand: no controls, spaces, marks of direction or private letters. */
const SEEN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;
/** Latin letters and slashes that are not those of ASCII. */
const DISGUISED = /[\uff01-\uff5e\u2044\u2215\u2216\u29f8\u{1d400}-\u{1d7ff}]/u;

/** The percent-encodings of one or more characters beyond ASCII. */
const ENCODED = /(?:%[89A-F][0-9A-F])+/gi;

/**
 * A path as people read it: `/gr%C3%B6%C3%9Fe` is `/größe`. What could mislead stays encoded: what is not seen, and letters
 * that look like Latin ones in a segment that has both.
 */
export const readablePath = (path: string): string => path.split('/').map(readableSegment).join('/');

function readableSegment(segment: string): string {
  const decoded = segment.replace(ENCODED, (encoded) => {
    const text = decodedOf(encoded);
    return SEEN.test(text) && !DISGUISED.test(text) ? text : encoded;
  });
  return LOOKS_LATIN.test(decoded) && LATIN.test(decoded.replace(ENCODED, '')) ? segment : decoded;
}

/** Empty for what is no UTF-8. */
function decodedOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return '';
  }
}
