/**
 * Read models hold small integers for strings. The table `words(id, scope, hash, word)` is shared by all versions and
 * only ever grows; `scope` is the word id of the website a word belongs to, and 0 for the website ids themselves.
 * `hash` is `textHash(word)` of the platform: the first 128 bits of the SHA-256 of its UTF-8 bytes.
 */
export const WEBSITE_SCOPE = 0;

/** The word id of a missing value; no row of `words` has it. */
export const NO_WORD = 0;

/**
 * Joins the parts of a composite word: region = country␟region, city = country␟city, browser version = browser␟version.
 * An unknown region, city or browser is NO_WORD; a known browser of unknown version keeps an empty second part.
 */
export const PART = '\u001f';
