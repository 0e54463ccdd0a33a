import { normalEncoding, normalLanguage, normalText } from '../normal-forms';
import { domainOfSource } from '../referrers/source-of';
import { zoneNamed } from '../time/zone-names';

export const FILTER_OPS = ['eq', 'ne', 'contains', 'not_contains', 'starts_with', 'in', 'not_in'] as const;
export type FilterOp = (typeof FILTER_OPS)[number];

export interface Filter {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: string | readonly string[];
}

/** A filter as what it looks for and whether finding it keeps or drops. */
export interface Criterion {
  readonly field: string;
  readonly test: 'equal' | 'contain' | 'start';
  readonly values: readonly string[];
  readonly negated: boolean;
}

const TESTS: Record<FilterOp, Pick<Criterion, 'test' | 'negated'>> = {
  eq: { test: 'equal', negated: false },
  ne: { test: 'equal', negated: true },
  contains: { test: 'contain', negated: false },
  not_contains: { test: 'contain', negated: true },
  starts_with: { test: 'start', negated: false },
  in: { test: 'equal', negated: false },
  not_in: { test: 'equal', negated: true },
};

/** The label of a missing value in rows, which filters accept too. */
const NAMES_OF_MISSING: Readonly<Record<string, string>> = {
  referrer: 'Direct',
  ...Object.fromEntries(
    ['country', 'region', 'city', 'timezone', 'language', 'device_type', 'browser_name', 'os_name'].map((field) => [
      field,
      'Unknown',
    ]),
  ),
};

/**
 * A missing value is the empty string. Whole values may be given by the names that rows show for them, and all as people
 * write them, beside the form in which intake has recorded them since there is one.
 */
export function criterion({ field, op, value }: Filter): Criterion {
  const given = typeof value === 'string' ? [value] : value;
  const { test, negated } = TESTS[op];
  const named = test === 'equal' ? given.map((name) => valueNamed(field, name)).filter((one) => one !== undefined) : [];
  const normal = given.map((each) => normalForm(field, test, each));
  return { field, test, values: [...new Set([...given, ...normal, ...named])], negated };
}

function normalForm(field: string, test: Criterion['test'], value: string): string {
  const text = normalText(value);
  if (field === 'path' || field === 'query_string') return normalEncoding(text);
  if (field === 'language' && test !== 'contain') return normalLanguage(text);
  return field === 'timezone' ? (zoneNamed(text) ?? text) : text;
}

/** The value that rows show under a name: a missing one, or the domain of a known source, whose name ignores case. */
function valueNamed(field: string, name: string): string | undefined {
  const missing = NAMES_OF_MISSING[field];
  const fold = (text: string) => (field === 'referrer' ? text.toLowerCase() : folded(field, text));
  if (missing !== undefined && fold(name) === fold(missing)) return '';
  return field === 'referrer' ? domainOfSource(name) : undefined;
}

const IGNORING_CASE: ReadonlySet<string> = new Set(['device_type', 'browser_name', 'os_name', 'country']);

export const ignoresCase = (field: string): boolean => IGNORING_CASE.has(field);

const folded = (field: string, text: string): string => (ignoresCase(field) ? text.toLowerCase() : text);

/** Whether a value that goes by several spellings (a country's code and name) passes: one match is a match. */
export function passes({ field, test, values, negated }: Criterion, spellings: readonly string[]): boolean {
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
      }
    });
  });
  return found !== negated;
}
