import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';

const MAX_DEPTH = 100;

/** With `isExact`, integers beyond 2^53 are texts. @throws Problem for what is no JSON */
export function parseJson(text: string, isExact = false): unknown {
  try {
    const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    const value: unknown = JSON.parse(json); // also where it is read again: what is no JSON stays so
    const exact = isExact ? withExactIntegers(json) : json;
    return exact === json ? value : JSON.parse(exact);
  } catch {
    throw new Problem('VALIDATION_ERROR', 'The body must be JSON');
  }
}

const LONG_INTEGER = /\d{16}/;
/** A text without an end goes to the end, so that none is looked for again and again. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The same JSON with integers beyond 2^53, such as ids of other systems, as texts: a number would silently be another one.
 * Node 20 has no parser that shows them as they were written.
 */
export const withExactIntegers = (json: string): string =>
  LONG_INTEGER.test(json)
    ? json.replace(TEXT_OR_NUMBER, (token) =>
        /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
      )
    : json;

/**
 * The first value that no request may hold: a text that Postgres cannot store, a number beyond the finite, a way to a
 * prototype, or one that is nested too deeply.
 */
export function forbiddenValue(value: unknown, path = '', depth = 0): FieldError | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : { field: path, message: NOT_STORABLE };
  if (typeof value === 'number' && !Number.isFinite(value)) return { field: path, message: 'must be a finite number' };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return { field: topOf(path), message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  if (Array.isArray(value))
    return firstOf(value, (each, index) => forbiddenValue(each, `${path}[${index}]`, depth + 1));
  return firstOf(Object.entries(value), ([name, each]: readonly [string, unknown]) => {
    const field = path === '' ? name.toWellFormed() : `${path}.${name.toWellFormed()}`;
    if (!isStorable(name)) return { field, message: NOT_STORABLE };
    return isPrototype(name, each)
      ? { field, message: 'is not a known field' }
      : forbiddenValue(each, field, depth + 1);
  });
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const NOT_STORABLE = 'must not hold a NUL or half of a surrogate pair';

function firstOf<T>(all: readonly T[], find: (each: T, index: number) => FieldError | undefined) {
  for (const [index, each] of all.entries()) {
    const found = find(each, index);
    if (found) return found;
  }
  return undefined;
}

const isPrototype = (name: string, value: unknown): boolean =>
  name === '__proto__' ||
  (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));

/** The field of the body in which it lies; a hundred names tell no more. */
const topOf = (path: string): string => /^(?:\[\d+\]\.?)?[^.[]*/.exec(path)?.[0] || 'body';
