import { domainToASCII } from 'node:url';
import { attributeNamed, type AttributeKind } from '@ledgerline/contracts/attributes';
import type { AnyFilter, FieldFilter, Filter, FilterOp } from '@ledgerline/contracts/definitions';
import { matchesGlob } from './glob';
import { normalEncoding, normalLanguage, normalText } from '../normal-forms';
import { domainOfSource } from '../referrers/source-of';
import { zoneNamed } from '../time/zone-names';

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
