import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { isObject } from '@ledgerline/contracts/json';

const MAX_DEPTH = 100;
/** Objects, lists and names in a body: more of them, not of its bytes, are what takes long to parse. */
export const MAX_PARTS = 20_000;

/** With `isExact`, integers beyond 2^53 are texts. @throws Problem for what is no JSON, or has too many parts */
export function parseJson(text: string, isExact = false): unknown {
  if (partsOf(text) > MAX_PARTS)
    throw new Problem('PAYLOAD_TOO_LARGE', `The body must have at most ${SHOWN_PARTS} objects, lists and names`);
  try {
    const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    const value: unknown = JSON.parse(json); // also where it is read again: what is no JSON stays so
    const exact = isExact ? withExactIntegers(json) : json;
    return exact === json ? value : JSON.parse(exact);
  } catch {
    throw new Problem('VALIDATION_ERROR', 'The body must be JSON');
  }
}

/** In characters; what is made of a larger body is handled in a turn of its own, so that other requests have theirs. */
const LARGE_BODY = 64 * 1024;

/** Hands what `read` makes of a body, or its error, to the host. */
export function parseInTurn(
  length: number,
  read: () => unknown,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    const body = read();
    if (length > LARGE_BODY) setImmediate(done, null, body);
    else done(null, body);
  } catch (error) {
    done(error as Error);
  }
}

const SHOWN_PARTS = MAX_PARTS.toLocaleString('en');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const LOWER = 0x20;
const OPEN = 0x7b;

/** The objects, lists and names of a JSON text, which is not parsed. */
function partsOf(json: string): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === QUOTE) isText = !isText;
    else if (!isText) count += Number(sign === COLON || (sign | LOWER) === OPEN);
    else if (sign === BACKSLASH) at++;
  }
  return count;
}

const LONG_INTEGER = /\d{16}/;
/** Many texts at once, as each match costs; one without an end goes to the end, so that none is looked for again and again. */
const TEXTS_OR_LONG =
  /(?:"[^"\\]*"[^"\d-]*){1,99}|"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|(?<![\w.+-])-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Returns the same JSON with integers beyond 2^53, such as ids of other systems, as texts: a number would silently be
 * another one.
 * Node 20 has no parser that shows them as they were written.
 */
export const withExactIntegers = (json: string): string =>
  LONG_INTEGER.test(json)
    ? json.replace(TEXTS_OR_LONG, (token) =>
        token[0] !== '"' && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
      )
    : json;

/** A fault, and the names and indexes that lead to it, the innermost first: made for a value that has one alone. */
interface Found {
  readonly message: string;
  readonly way: (string | number)[];
}

/**
 * The first value that no request may hold: a text that Postgres cannot store, a number beyond the finite, a way to a
 * prototype, or one that is nested too deeply.
 */
export function forbiddenValue(value: unknown): FieldError | undefined {
  const found = forbiddenWithin(value, 0);
  if (!found) return undefined;
  const { message, way } = found;
  const field = way.reduceRight<string>((path, each) => {
    if (typeof each === 'number') return `${path}[${each}]`;
    return path === '' ? each.toWellFormed() : `${path}.${each.toWellFormed()}`;
  }, '');
  return { field: message === TOO_DEEP ? topOf(field) : field, message };
}

function forbiddenWithin(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : fault(NOT_STORABLE);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : fault('must be a finite number');
  if (!isObject(value)) return undefined;
  if (depth === MAX_DEPTH) return fault(TOO_DEEP);
  if (Array.isArray(value)) return forbiddenInList(value, depth);
  for (const name of Object.keys(value)) {
    const found = forbiddenField(name, value[name], depth);
    if (found) return within(found, name);
  }
  return undefined;
}

function forbiddenInList(list: readonly unknown[], depth: number): Found | undefined {
  for (let at = 0; at < list.length; at++) {
    const found = forbiddenWithin(list[at], depth + 1);
    if (found) return within(found, at);
  }
  return undefined;
}

function forbiddenField(name: string, value: unknown, depth: number): Found | undefined {
  if (!isStorable(name)) return fault(NOT_STORABLE);
  return isPrototype(name, value) ? fault('is not a known field') : forbiddenWithin(value, depth + 1);
}

const fault = (message: string): Found => ({ message, way: [] });

const TOO_DEEP = `must not be nested deeper than ${MAX_DEPTH} levels`;

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const NOT_STORABLE = 'must not hold a NUL or half of a surrogate pair';

function within(found: Found, place: string | number): Found {
  found.way.push(place);
  return found;
}

const isPrototype = (name: string, value: unknown): boolean =>
  name === '__proto__' ||
  (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'));

/** The field of the body in which it lies; a hundred names tell no more. */
const topOf = (path: string): string => /^(?:\[\d+\]\.?)?[^.[]*/.exec(path)?.[0] || 'body';
