/**
 * Read models hold small integers for texts. The table `dictionary(id, scope, hash, text)` is shared by all versions;
 * no id is ever given again. `scope` is the text id of the website a text belongs to, and 0 for the website ids themselves. `hash`
 * is `textHash(text)` of the platform: the first 128 bits of the SHA-256 of its UTF-8 bytes.
 */
export const WEBSITE_SCOPE = 0;

/** The id of a missing text; no row of `dictionary` has it. */
export const NO_TEXT = 0;

/** The id of `ANOTHER_PAGE`; no row of `dictionary` has it. */
export const ANOTHER_PAGE_ID = 2 ** 31 - 1;

/**
 * Joins the parts of a composite text: region = country␟region, city = country␟city, browser version = browser␟version.
 * An unknown region, city or browser is NO_TEXT; a known browser of unknown version keeps an empty second part.
 */
export const PART_SEPARATOR = '\u001f';
