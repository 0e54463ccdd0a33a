/**
 * Whether a whole text is of a pattern: `**` = any characters, `*` = any but `/`, both also none, all else as written.
 * TRICKY: all states at once, as a search that goes back could take ages.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = partsOf(pattern);
  let states = reached([true, ...parts.map(() => false)], parts);
  for (const sign of text) {
    const next = states.map(() => false);
    for (const [at, part] of parts.entries()) {
      if (!states[at]) continue;
      if (part === '**' || (part === '*' && sign !== '/')) next[at] = true;
      else if (part === sign && part !== '*') next[at + 1] = true;
    }
    states = reached(next, parts);
  }
  return states[parts.length] ?? false;
}

/** Its signs, and the stars between them. */
const partsOf = (pattern: string): readonly string[] => pattern.match(/\*+|[^*]/gu)?.map(asStars) ?? [];

const asStars = (part: string): string => (part.startsWith('**') ? '**' : part);

/** With what follows a star, which may stand for nothing. */
function reached(states: readonly boolean[], parts: readonly string[]): boolean[] {
  const all = [...states];
  for (const [at, part] of parts.entries()) if (all[at] && part.startsWith('*')) all[at + 1] = true;
  return all;
}

/** The same as a regular expression of Postgres. */
export const globExpression = (pattern: string): string =>
  `^(?:${partsOf(pattern)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : escaped(part)))
    .join('')})$`;

const escaped = (sign: string): string => (/^[A-Za-z0-9]$/.test(sign) || sign > '\x7f' ? sign : `\\${sign}`);
