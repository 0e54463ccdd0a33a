/** Stands for `**` in a pattern: every character matches. */
const ANY = -1;
/** Stands for `*` in a pattern: every character but `/` matches. */
const ANY_IN_SEGMENT = -2;
/** Follows the last character: no character is this one. */
const END = 0x11_00_00;
const SLASH = 0x2f;

/**
 * Returns whether a whole text matches a pattern: `**` = any characters, `*` = any but `/`, both also none, all else as
 * written.
 * TRICKY: all states at once, as a search that goes back could take ages; in one array, as there may be millions.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  if (pattern.length - pattern.split('*').length >= text.length) return false; // more signs than the text has
  const parts = Int32Array.from([...partsOf(pattern), ''], codeOf);
  const states = new Uint8Array(parts.length); // 1 where the parts before match the text so far
  for (let at = 0, isReached = true; isReached; at++) {
    states[at] = 1;
    isReached = (parts[at] as number) < 0;
  }
  for (const sign of text) step(states, parts, sign.codePointAt(0) ?? END);
  return states.at(-1) === 1;
}

/** With the next sign of the text. A star may stand for nothing, so what follows it is reached with it. */
function step(states: Uint8Array, parts: Int32Array, sign: number): void {
  let last = END;
  let before = 0;
  let now = 0;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as number;
    const here = states[at] as number;
    const stays = part === ANY || (part === ANY_IN_SEGMENT && sign !== SLASH);
    now = (stays ? here : 0) | (last < 0 ? now : last === sign ? before : 0);
    states[at] = now;
    last = part;
    before = here;
  }
}

const codeOf = (part: string): number =>
  part === '**' ? ANY : part === '*' ? ANY_IN_SEGMENT : (part.codePointAt(0) ?? END);

/** Its signs, and the stars between them. */
const partsOf = (pattern: string): readonly string[] => pattern.match(/\*+|[^*]/gu)?.map(asStars) ?? [];

const asStars = (part: string): string => (part.startsWith('**') ? '**' : part);

/** Returns the pattern as a regular expression of Postgres. */
export const globExpression = (pattern: string): string =>
  `^(?:${partsOf(pattern)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : escaped(part)))
    .join('')})$`;

const escaped = (sign: string): string => (/^[A-Za-z0-9]$/.test(sign) || sign > '\x7f' ? sign : `\\${sign}`);
