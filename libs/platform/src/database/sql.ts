import { hash } from 'node:crypto';
import type { Json } from '@ledgerline/contracts/json';

/** An SQL statement with separate values: `text` contains `$n` for each. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * The name of the statement: a connection parses and plans a named statement once, so its plan must suit all values.
   */
  readonly name?: string;
}

const RAW = Symbol('raw sql');

interface Fragment extends Sql {
  readonly [RAW]: true;
  readonly strings: readonly string[];
  readonly holes: readonly unknown[];
}

/**
 * Tagged template for SQL. A value becomes a bound parameter, another `sql` fragment is inserted; no value ever becomes
 * part of the text.
 */
export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  return fragment([...strings], holes);
}

/** An identifier such as a table or column name, quoted. */
export const identifier = (...names: readonly string[]): Sql =>
  fragment([names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')], []);

/** Joins fragments with a separator. */
export function joinSql(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return fragment([''], []);
  return fragment(['', ...parts.slice(1).map(() => separator), ''], parts);
}

export const emptySql: Sql = fragment([''], []);

function fragment(strings: readonly string[], holes: readonly unknown[]): Fragment {
  let rendered: { text: string; values: readonly unknown[] } | undefined;
  const render = () => (rendered ??= renderFragment({ strings, holes }));
  return {
    [RAW]: true,
    strings,
    holes,
    get text() {
      return render().text;
    },
    get values() {
      return render().values;
    },
  };
}

function renderFragment(root: Pick<Fragment, 'strings' | 'holes'>): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const render = (part: Pick<Fragment, 'strings' | 'holes'>): string =>
    part.strings.reduce((text, string, at) => {
      const hole = part.holes[at - 1];
      return text + (isFragment(hole) ? render(hole) : `$${values.push(hole)}`) + string;
    });
  return { text: render(root), values };
}

const isFragment = (value: unknown): value is Fragment => typeof value === 'object' && value !== null && RAW in value;

/** JSON as `jsonb` takes it: without NUL characters and without halves of surrogate pairs, in names and in values. */
export function jsonText(value: Json): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text) ? JSON.stringify(clean(value)) : text;
}

const REFUSED = /\\u(?:0000|d[89a-f])/i;

function clean(value: Json): Json {
  if (typeof value === 'string') return cleanString(value);
  if (Array.isArray(value)) return value.map((each: Json) => clean(each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [cleanString(name), each === undefined ? each : clean(each)]),
  );
}

/** Encoding to UTF-8 replaces a lone surrogate. */
const cleanString = (text: string) => Buffer.from(withoutNul(text), 'utf8').toString('utf8');

/** A time in epoch ms. */
export const instant = (at: number): Sql => sql`${new Date(at)}::timestamptz`;

/** Postgres takes no NUL in a text. */
export const withoutNul = (text: string): string => text.replaceAll('\u0000', '');

/** The key of a stored text: the first 128 bits of the SHA-256 of its UTF-8 bytes, as 32 hex digits. */
export const textHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 32);

/**
 * TRICKY: the driver takes a microsecond to read a cell of a row, and a hundredth of it for a value in such bytes; it
 * takes the bytes themselves for text in UTF-8. Values that are null are left out. `order` is an `order by` of its own.
 */
export const integers = (value: Sql, order?: Sql): Sql => packed(sql`int4send(${value})`, order);
export const bigints = (value: Sql, order?: Sql): Sql => packed(sql`int8send(${value})`, order);
export const timestamps = (value: Sql, order?: Sql): Sql => packed(sql`timestamptz_send(${value})`, order);
/** Packs bytes that hold integers; they are read by `readIntegers`. */
export const bytes = (value: Sql): Sql => packed(value);
/** Packs arrays of integers, smallints, timestamps or uuids; they are read by `readArrays`. */
export const arrays = (value: Sql): Sql => packed(sql`array_send(${value})`);

const packed = (bytes: Sql, order = emptySql): Sql => sql`encode(string_agg(${bytes}, ''${order}), 'base64')`;
