import { domainToASCII } from 'node:url';
import { type AttributeKind, attributeNamed } from '@ledgerline/contracts/attributes';
import type { AnyFilter, FieldFilter, Filter, FilterOp } from '@ledgerline/contracts/definitions';
import { normalEncoding, normalLanguage, normalText } from '../normal-forms';
import { domainOfSource } from '../referrers/source-of';
import { zoneNamed } from '../time/zone-names';

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

const NUMBER_OPS: ReadonlySet<string> = new Set<FilterOp>(['gt', 'gte', 'lt', 'lte']);

/** Whether an op compares numbers. */
export const isNumberOp = (op: unknown): boolean => typeof op === 'string' && NUMBER_OPS.has(op);

/** Whether a text is a decimal as a whole: `19.99`, `-0.3`, `1e3`. */
export const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** A filter as what it looks for and whether finding it keeps or drops. */
export interface Criterion {
  readonly field: string;
  readonly test: 'equal' | 'contain' | 'start' | 'glob' | NumberTest;
  readonly values: readonly string[];
  readonly negated: boolean;
}

/** How a number compares with that of the filter. */
export type NumberTest = 'above' | 'from' | 'below' | 'to';

const TESTS: Record<FilterOp, Pick<Criterion, 'test' | 'negated'>> = {
  eq: { test: 'equal', negated: false },
  ne: { test: 'equal', negated: true },
  contains: { test: 'contain', negated: false },
  not_contains: { test: 'contain', negated: true },
  starts_with: { test: 'start', negated: false },
  in: { test: 'equal', negated: false },
  not_in: { test: 'equal', negated: true },
  glob: { test: 'glob', negated: false },
  gt: { test: 'above', negated: false },
  gte: { test: 'from', negated: false },
  lt: { test: 'below', negated: false },
  lte: { test: 'to', negated: false },
};

export const isAnyOf = (filter: Filter): filter is AnyFilter => 'any' in filter;

/** What a filter looks for: one of these must hold. */
export const alternativesIn = (filter: Filter): readonly FieldFilter[] => (isAnyOf(filter) ? filter.any : [filter]);

/**
 * A missing value is the empty string. Whole values may be given by the names that rows show for them, and all as people
 * write them, beside the form in which intake has recorded them since there is one.
 */
export function criterion({ field, op, value }: FieldFilter): Criterion {
  const given = typeof value === 'string' ? [value] : value;
  const { test, negated } = TESTS[op];
  const named = test === 'equal' ? given.map((name) => valueNamed(field, name)).filter((one) => one !== undefined) : [];
  const normal = given.map((each) => normalForm(field, test, each));
  return { field, test, values: [...new Set([...given, ...normal, ...named])], negated };
}

function normalForm(field: string, test: Criterion['test'], value: string): string {
  const [kind, text] = [kindOf(field), normalText(value)];
  if (kind === 'address') return normalEncoding(text);
  if (test === 'glob') return text;
  if (kind === 'host') return (test === 'equal' && domainToASCII(text)) || text.toLowerCase();
  if (kind === 'language' && test !== 'contain') return normalLanguage(text);
  return kind === 'zone' ? (zoneNamed(text) ?? text) : text;
}

const kindOf = (field: string) => KINDS_OF_CONDITIONS[field] ?? attributeNamed(field)?.kind;

/** Of fields that only conditions have. */
const KINDS_OF_CONDITIONS: Readonly<Record<string, AttributeKind>> = { href: 'address', domain: 'host' };

/** The value that rows show under a name: a missing one, or the domain of a known source, whose name ignores case. */
function valueNamed(field: string, name: string): string | undefined {
  const missing = attributeNamed(field)?.missing;
  const isSource = kindOf(field) === 'source';
  const fold = (text: string) => (isSource ? text.toLowerCase() : folded(field, text));
  if (missing !== undefined && fold(name) === fold(missing)) return '';
  return isSource ? domainOfSource(name) : undefined;
}

export const ignoresCase = (field: string): boolean => attributeNamed(field)?.ignoresCase ?? false;

const folded = (field: string, text: string): string => (ignoresCase(field) ? text.toLowerCase() : text);

/** Whether a value that goes by several spellings (a country's code and name) passes: one match is a match. A glob is of the first. */
export function passes({ field, test, values, negated }: Criterion, spellings: readonly string[]): boolean {
  if (test === 'glob') return values.some((pattern) => matchesGlob(pattern, spellings[0] ?? ''));
  const sought = values.map((value) => folded(field, value));
  const found = spellings.some((spelling) => {
    const text = folded(field, spelling);
    return sought.some((value) => {
      switch (test) {
        case 'equal':
          return text === value;
        case 'contain':
          return text.includes(value);
        case 'start':
          return text.startsWith(value);
        case 'above':
        case 'from':
        case 'below':
        case 'to':
          return isDecimal(text) && compares(test, Number(text), Number(value));
      }
    });
  });
  return found !== negated;
}

function compares(test: NumberTest, number: number, bound: number): boolean {
  switch (test) {
    case 'above':
      return number > bound;
    case 'from':
      return number >= bound;
    case 'below':
      return number < bound;
    case 'to':
      return number <= bound;
  }
}

/** Languages in which people may name a country. */
const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'nb',
  'fi',
  'cs',
  'tr',
  'ru',
  'uk',
  'ja',
  'zh',
  'ko',
];

const inLanguage = (language: string, style: 'long' | 'short' = 'long') =>
  new Intl.DisplayNames(language, { type: 'region', fallback: 'code', style });

const names = inLanguage('en');

/** Made when a name is looked for, as each takes milliseconds. */
let others: readonly Intl.DisplayNames[] | undefined;

/** The English name of an ISO 3166-1 alpha-2 code; '' stays '', and what is no code stays what it is. */
export function countryName(code: string): string {
  return isCode(code) ? (names.of(code) ?? code) : code;
}

/** The names of a country in several languages, short ones (`UK`) too. */
export function countryNames(code: string): readonly string[] {
  others ??= [inLanguage('en', 'short'), ...LANGUAGES.map((language) => inLanguage(language))];
  return isCode(code) ? [...new Set(others.map((each) => each.of(code) ?? code))] : [code];
}

const isCode = (code: string): boolean => /^[A-Z]{2}$/.test(code);
