import { MAX_OBJECT, MAX_STACK_BYTES, MAX_TEXT } from '@ledgerline/contracts/intake-limits';
import { tryOrUndefined, warn } from './guarded';

/**
 * The greatest size of `properties` and `traits`: the host counts what it makes of them, which may be a little more.
 */
const MAX_BYTES = 32_600;

/** A value that has more parts than this is cut, whatever their size. */
const MAX_PARTS = 20_000;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the number of bytes a text is in a request. */
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Returns what is sent to the host as JSON, without what cannot be sent. */
export function itemToJson(item: Fields): string {
  const fields: string[] = [];
  for (const key of Object.keys(item)) {
    const isObject = key === 'properties' || key === 'traits';
    const longest = key === 'stack' ? MAX_STACK_BYTES : MAX_TEXT;
    const json = isObject ? tryOrUndefined(() => objectToJson(key, item[key])) : toJson(() => item[key], longest);
    if (json) fields.push(`"${key}":${json}`);
  }
  return `{${fields.join()}}`;
}

/** Within the limits of the host: the longest of its values is cut, then left out, until it is. */
function objectToJson(name: 'properties' | 'traits', given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Symbol.iterator in given) {
    warn(`${name} must be an object`);
    return undefined;
  }
  const values = Object.keys(given)
    .slice(0, MAX_OBJECT.keys)
    .map((key) => ({ key, length: MAX_BYTES, json: '' }));
  const encode = (value: (typeof values)[number]) => {
    const { key, length } = value;
    const read = () => (given as Fields)[key];
    const json =
      length < 8 || !key.trim() ? undefined : toJson(read, length, name === 'traits' ? 1 : MAX_OBJECT.depth, [given]);
    value.json = json ? `${quote(key)}:${json}` : '';
  };
  values.forEach(encode);
  for (;;) {
    const all = `{${values.flatMap(({ json }) => json || []).join()}}`;
    if (bytesOf(all) <= MAX_BYTES) return all;
    warn(`${name} over 32 KiB are cut`);
    const [longest] = [...values].sort((one, other) => other.json.length - one.json.length);
    if (!longest) return undefined;
    longest.length /= 2;
    encode(longest);
  }
}

/**
 * A value as JSON, whose texts and lists have this length at most; undefined for what cannot be sent. TRICKY: not
 * JSON.stringify, which fails as a whole for one BigInt, cycle or getter, and calls the `toJSON` that old libraries give
 * to every list.
 */
export function toJson(
  root: () => unknown,
  length: number,
  depth: number = MAX_OBJECT.depth,
  above: readonly object[] = [],
): string | undefined {
  const path = [...above];
  let rest = MAX_PARTS;
  const encode = (read: () => unknown): string | undefined => {
    if (--rest < 0) return undefined;
    const level = path.length;
    try {
      const value = simpler(read());
      if (typeof value === 'string') return quote(value.slice(0, length));
      if (value === undefined) return undefined;
      if (typeof value !== 'object' || value === null) return `${value as number | boolean | null}`;
      if (level >= depth || path.includes(value)) return undefined;
      path.push(value);
      return Symbol.iterator in value ? encodeList(value as Iterable<unknown>) : encodeFields(value as Fields);
    } catch {
      return undefined; // a getter or a proxy that throws
    } finally {
      path.length = level;
    }
  };
  const encodeList = (list: Iterable<unknown>): string => {
    const entries: string[] = [];
    for (const each of list) if (entries.push(encode(() => each) ?? 'null') >= length || rest < 0) break;
    return `[${entries.join()}]`;
  };
  const encodeFields = (fields: Fields): string => {
    const entries: string[] = [];
    for (const key of Object.keys(fields).slice(0, length)) {
      const json = encode(() => fields[key]);
      if (json) entries.push(`${quote(key)}:${json}`);
    }
    return `{${entries.join()}}`;
  };
  return encode(root);
}

const ESCAPED: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t' };

/** Without control characters and halves of characters, which the host removes. */
const quote = (text: string): string =>
  `"${text.replace(/["\\\p{Cc}\p{Cs}]/gu, (character) => ESCAPED[character] ?? '')}"`;

/** As JSON.stringify does it, but that a BigInt and an error are texts; undefined for functions and what is of a document. */
function simpler(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return /^(fun|sym)/.test(typeof value) ? undefined : value;
  if ('ownerDocument' in value || ('window' in value && value.window === value)) return undefined;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return String(value);
  const { toJSON } = value as { toJSON?: unknown };
  const isForAll = Array.isArray(value) || toJSON === (Object.prototype as { toJSON?: unknown }).toJSON;
  return typeof toJSON === 'function' && !isForAll ? (toJSON.call(value) as unknown) : value;
}
