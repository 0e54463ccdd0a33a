import { matchesGlob } from './glob';

/** A filter as what it looks for and whether finding it keeps or drops. */
export interface Criterion {
  readonly field: string;
  readonly test: TextTest | NumberTest;
  readonly values: readonly string[];
  readonly negated: boolean;
}

/** The comparison of a text with that of the filter. */
export type TextTest = 'equal' | 'contain' | 'start' | 'glob';

/** The comparison of a number with that of the filter. */
export type NumberTest = 'above' | 'from' | 'below' | 'to';

/** Returns whether a text is a decimal as a whole: `19.99`, `-0.3`, `1e3`. */
export const isDecimal = (text: string): boolean => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** Returns whether a value that goes by several texts passes: one match is a match. */
export function textsPass(
  { test, values, negated }: Pick<Criterion, 'test' | 'values' | 'negated'>,
  texts: readonly string[],
  foldsCase = false,
): boolean {
  const fold = foldsCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  const sought = values.map(fold);
  const found = texts.some((spelling) => {
    const text = fold(spelling);
    return sought.some((value) => {
      switch (test) {
        case 'equal':
          return text === value;
        case 'contain':
          return text.includes(value);
        case 'start':
          return text.startsWith(value);
        case 'glob':
          return matchesGlob(value, text);
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
