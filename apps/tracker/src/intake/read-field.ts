import { shortenFieldError, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { PageAddress } from '@ledgerline/contracts/events/observed-events';
import { MAX_ID, MAX_NAME, MAX_OBJECT, MAX_STACK_BYTES } from '@ledgerline/contracts/intake-limits';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import type { Traits } from '@ledgerline/contracts/read-models/profiles';
import type { ItemFields, OwnField } from '@ledgerline/contracts/tracking-items';
import { parseInstant } from '@ledgerline/domain/time/instant';
import { cleanId, cleanLines, cleanText, parsePage, readVisited, type Visited, withoutControls } from '../parse';

/** Why an item is not taken: every wrong field with a reason. */
export class BadItem extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.errors = errors.map(shortenFieldError);
    this.name = 'BadItem';
  }
}

export type RawItem = Readonly<Record<string, unknown>>;

/** The fields that are kept of an item; null of an absent one. */
export type KeptFields<Table extends ItemFields<OwnField>> = {
  readonly [Name in keyof Table]:
    | KeptOf<Table[Name]>
    | (Table[Name] extends { readonly isRequired: true } | { readonly kind: 'traits' } ? never : null);
};

type KeptOf<Given extends OwnField> = Given extends { readonly values: readonly (infer Value)[] }
  ? Value
  : Given['kind'] extends keyof KeptByKind
    ? KeptByKind[Given['kind']]
    : string;

/** By the readers below; of all other kinds a text. */
interface KeptByKind {
  readonly url: URL;
  readonly page: Visited;
  readonly path: PageAddress;
  readonly amount: number;
  readonly count: number;
  readonly revision: number;
  readonly properties: JsonObject;
  readonly traits: Traits;
}

/** Reads a value that has the form of its field; null of none. @throws BadItem that names the field */
type FieldReader = (value: unknown, name: string, item: RawItem) => unknown;

/** The reader of a field. A required one must not be empty; of a lenient one, what can be read of any value is kept. */
export function fieldReader(field: OwnField): FieldReader {
  const read = readerOf(field);
  const coerce = field.isLenient && COERCIONS[field.kind];
  if (coerce) return (value, name, item) => read(coerce(value), name, item);
  if (!field.isRequired) return read;
  return (value, name, item) => read(value, name, item) ?? refuse(name, 'must not be empty');
}

function readerOf(field: OwnField): FieldReader {
  switch (field.kind) {
    case 'text':
      return (value) => cleanText(value, field.max);
    case 'lines':
      return (value) => cleanLines(value, field.max);
    case 'stack':
      return (value) => cutToBytes(cleanLines(value, MAX_STACK_BYTES), MAX_STACK_BYTES);
    case 'id':
      return (value) => cleanId(value, field.max);
    case 'amount':
      return (value) => within(value, field.max);
    case 'count':
      return (value) => rounded(within(value, field.max));
    case 'choice':
      return (value) => field.values.find((each) => each === value) ?? null;
    case 'url':
      return (value, name) => readUrl(cleanText(value, field.max), name);
    case 'page':
      return (value, name) => readVisited(value, field.max) ?? refuse(name, 'must be an http(s) URL or a pathname');
    case 'path':
      return (value) => optionalPage(cleanText(value, field.max));
    case 'revision':
      return readRevision;
    case 'properties':
      return readProperties;
    case 'traits':
      return readTraits;
  }
}

/** Throws, in the place of a value. */
function refuse(field: string, message: string): never {
  throw new BadItem([{ field, message }]);
}

/** As JSON what is no text; null of what is nested too deeply. */
function asText(value: unknown): unknown {
  if (typeof value === 'string' || value === undefined || value === null) return value;
  return isWithin(value, MAX_OBJECT.depth) ? JSON.stringify(value) : null;
}

/** Returns whether a value has at most so many levels of objects and lists. */
const isWithin = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isWithin(each, levels - 1)));

/** A number, or a text of one; null of all else. */
function asNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

const COERCIONS: Readonly<Partial<Record<OwnField['kind'], (value: unknown) => unknown>>> = {
  text: asText,
  lines: asText,
  stack: asText,
  count: asNumber,
};

const encoder = new TextEncoder();

/** At most so many bytes of UTF-8, never part of a character. */
const cutToBytes = (lines: string | null, max: number): string | null =>
  lines && lines.slice(0, encoder.encodeInto(lines, new Uint8Array(max)).read).trimEnd();

/** Clamped to what is possible; null for what is unknown or negative. */
const within = (value: unknown, max: number): number | null =>
  typeof value !== 'number' || value < 0 ? null : Math.min(value, max);

const rounded = (value: number | null): number | null => value && Math.round(value);

function readUrl(text: string | null, name: string): URL {
  const url = text !== null && /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  return url ?? refuse(name, 'must be an http(s) URL');
}

/** null for none, and for what is no path. */
const optionalPage = (text: string | null): PageAddress | null => (text === null ? null : parsePage(text));

/** The latest time of a JavaScript date, epoch ms. */
const MAX_TIME = 8.64e15;

/** When an item happened, epoch ms. @throws BadItem */
export function readTime(timestamp: unknown): number | null {
  if (timestamp === undefined || timestamp === null) return null;
  const at = typeof timestamp === 'string' ? parseInstant(timestamp.trim()) : timestamp;
  return typeof at === 'number' && Math.abs(at) <= MAX_TIME
    ? at
    : refuse('timestamp', 'must be epoch milliseconds or an ISO 8601 time that exists');
}

function readRevision(value: unknown, name: string, { eventId }: RawItem): unknown {
  if (value === undefined || value === null) return 0;
  return cleanId(eventId, MAX_ID.event) === null ? refuse(name, 'needs an eventId') : value;
}

/** The properties of an event, with clean texts; null for none. */
function readProperties(raw: unknown, name: string): JsonObject | null {
  if (entriesOf(raw, name).length === 0) return null;
  if (!isWithin(raw, MAX_OBJECT.depth)) return refuse(name, `must not be nested deeper than ${MAX_OBJECT.depth}`);
  return cleanObject(limited(raw as object, name), [name]);
}

/** Returns what a website knows of a person: flat, with clean texts. */
const readTraits = (raw: unknown, name: string): Traits =>
  Object.fromEntries(
    limited(
      entriesOf(raw, name).map(([trait, value]) => [traitName(trait, name), traitValue(trait, value, name)] as const),
      name,
    ),
  );

function entriesOf(raw: unknown, name: string): [string, unknown][] {
  if (raw === undefined || raw === null) return [];
  if (typeof raw !== 'object' || Array.isArray(raw)) return refuse(name, 'must be object');
  const entries = Object.entries(raw);
  return entries.length > MAX_OBJECT.keys ? refuse(name, `must not have more than ${MAX_OBJECT.keys} keys`) : entries;
}

const limited = <Value extends object>(value: Value, name: string): Value =>
  Buffer.byteLength(JSON.stringify(value)) > MAX_OBJECT.bytes
    ? refuse(name, `must not be larger than ${MAX_OBJECT.bytes / 1024} KiB`)
    : value;

/** TRICKY: the way to a value is put together for a fault alone, as it costs more than the value. */
type Way = (string | number)[];

const cleanObject = (raw: object, way: Way): JsonObject =>
  Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [withoutControls(name), cleanBelow(value, name, way)] as const),
  );

function cleanBelow(value: unknown, place: string | number, way: Way): Json {
  way.push(place);
  const clean = cleanJson(value, way);
  way.pop();
  return clean;
}

function cleanJson(value: unknown, way: Way): Json {
  if (typeof value === 'string') return withoutControls(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return refuse(nameOf(way), 'must be a finite number');
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? value.map((each, index) => cleanBelow(each, index, way)) : cleanObject(value, way);
}

const nameOf = ([name = '', ...places]: Way): string =>
  withoutControls(
    places.reduce<string>((path, at) => (typeof at === 'number' ? `${path}[${at}]` : `${path}.${at}`), String(name)),
  );

const traitName = (trait: string, name: string): string =>
  cleanText(trait, MAX_NAME) ?? refuse(name, 'must not have an empty name');

/** An address is the same in upper and lower case. */
function traitValue(trait: string, value: unknown, name: string): Traits[string] {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string')
    return refuse(`${name}.${withoutControls(trait)}`, 'must be a text, number, boolean or null');
  const text = withoutControls(value).trim();
  return trait === 'email' ? text.toLowerCase() : text;
}
