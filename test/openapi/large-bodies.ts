import { MAX_PARTS } from '@ledgerline/platform/http/json-body';
import { exampleOf, type Known, type OpenApiDocument, type Schema } from '../http/route-requests';

/** A place in a body where something can be large. */
export interface Place {
  /** `filters[].any` */
  readonly way: string;
  readonly holds: 'items' | 'names' | 'text';
  /** The greatest number of items, as documented; undefined where nothing is. */
  readonly max?: number | undefined;
  /** A plausible item, as JSON. */
  readonly item: string;
  /** The body as JSON, with this JSON in the place. */
  readonly bodyWith: (json: string) => string;
}

/** A body that is one place. */
export const WHOLE = { way: '', holds: 'items', item: '', bodyWith: (json: string) => json } as const satisfies Place;

/** Far enough below the 1 MiB that a host takes. */
const MOST_BYTES = 900_000;
/** So many fit into a body with its other names, unless that is refused before it is parsed. */
const MOST_PARTS = MAX_PARTS - 1_000;

const HOLE = '\u2603 here';
const MAX_DEPTH = 14;

/**
 * Every place in the bodies of a schema, also within items of lists and in each of several forms. Of texts and names only
 * those that are not `seen` in bodies before.
 */
export function placesIn(
  schema: Schema,
  document: OpenApiDocument,
  known: Known,
  seen = new Set<string>(),
): readonly Place[] {
  const places: Place[] = [];
  const ways = new Set<string>();
  const add = (way: string, holds: Place['holds'], wrap: Wrap, more: Partial<Place> = {}) => {
    const end = `${way.split('.').slice(-2).join('.')} ${holds} ${more.max} ${more.item}`; // the same list in a batch is no other one
    if (ways.has(end)) return;
    ways.add(end);
    const text = JSON.stringify(wrap(HOLE));
    places.push({
      way,
      holds,
      item: 'null',
      ...more,
      bodyWith: (json) => text.replace(JSON.stringify(HOLE), () => json),
    });
  };
  const visit = (name: string, each: Schema, way: string, wrap: Wrap, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const form of formsOf(each, document)) {
      const type = [form.type ?? (form.properties ? 'object' : '')].flat();
      const field = `${name} ${JSON.stringify(form)}`;
      const isNew = !seen.has(field);
      seen.add(field);
      if (type.includes('string') && isNew) add(way, 'text', wrap);
      if (type.includes('array')) {
        const item = JSON.stringify(exampleOf('', form.items ?? {}, known, document));
        add(way, 'items', wrap, { max: form.maxItems, item });
        visit('', form.items ?? {}, `${way}[]`, (value) => wrap([value]), depth + 1);
      }
      if (!type.includes('object')) continue;
      if (isNew) add(way, 'names', wrap);
      const base = exampleOf(name, form, known, document) as object;
      for (const [property, inner] of Object.entries(form.properties ?? {}))
        visit(property, inner, `${way}.${property}`, (value) => wrap({ ...base, [property]: value }), depth + 1);
    }
  };
  visit('', schema, '', (value) => value, 0);
  return places;
}

type Wrap = (value: unknown) => unknown;

/** A schema without references, or each of those that it may be. */
function formsOf(schema: Schema, document: OpenApiDocument): readonly Schema[] {
  const referred = schema.$ref && document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (referred) return formsOf(referred, document);
  const forms = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return forms.length > 0 ? forms.flatMap((form) => formsOf(form, document)) : [schema];
}

/** JSON with all lists within it as long as they may be, until it has about as many parts as it may; `leaf` in the place of items without lists. */
export function fullOf(schema: Schema, document: OpenApiDocument, leaf: string): string {
  let left = MOST_PARTS * 3;
  const spend = (json: string) => {
    left -= json.length + 1;
    return json;
  };
  const full = (each: Schema, depth: number): string => {
    const forms = depth > MAX_DEPTH ? [] : formsOf(each, document);
    const list = forms.find(({ type, items }) => type === 'array' && items);
    if (list) {
      const items: string[] = [];
      while (items.length < (list.maxItems ?? Infinity) && left > 0) items.push(full(list.items ?? {}, depth + 1));
      return `[${items.join()}]`;
    }
    const deepest = forms.toSorted((a, b) => listsIn(b, document, depth) - listsIn(a, document, depth))[0];
    const fields = Object.entries(deepest?.properties ?? {}).filter(([, inner]) => listsIn(inner, document, depth) > 0);
    if (fields.length === 0) return spend(leaf);
    return `{${fields.map(([name, inner]) => `${spend(JSON.stringify(name))}:${full(inner, depth + 1)}`).join()}}`;
  };
  return full(schema, 0);
}

/** Counts how many lists are within each other. */
function listsIn(schema: Schema, document: OpenApiDocument, depth: number): number {
  if (depth > MAX_DEPTH) return 0;
  const inside = formsOf(schema, document).map(({ type, items, properties = {} }) => {
    if (type === 'array' && items) return 1 + listsIn(items, document, depth + 1);
    return Math.max(0, ...Object.values(properties).map((each) => listsIn(each, document, depth + 1)));
  });
  return Math.max(0, ...inside);
}

/** Returns what is put into a place: as much as it may hold, one more, and as much as a body may hold. */
export function fillings({ holds, max, item }: Place): readonly string[] {
  if (holds === 'text') return TEXTS;
  if (holds === 'names') return [`{${times(MOST_PARTS / 2, (at) => `"n${at}":1`)}}`];
  return [...(max === undefined ? [] : [list(item, max), list('{}', max + 1)]), list('{}', MOST_PARTS)];
}

/** JSON of lists within lists. */
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Whole bodies of lists within lists, as many as a body may have, and as it has bytes. */
export const DEEP = [deep(MOST_PARTS), deep(MOST_BYTES / 2)];

/** Texts that take the square of their length where something looks at them again and again. */
const TEXTS = [`"${'T'.repeat(MOST_BYTES / 3)}"`, `"a${'\u0301\u0316'.repeat(MOST_BYTES / 12)}"`];

const times = (count: number, each: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => each(at)).join();

const list = (each: string, count: number) => `[${times(count, () => each)}]`;

/** Nearly the 16 KiB that Node takes for all headers. */
export const LONG = 'long'.repeat(3_700);

/** As a query string. */
export const MANY = Array.from({ length: 2_000 }, (_, at) => `n${at}=1`).join('&');

/** Returns, for each operation of the api, the names of its parameters in the query string. */
export const queriesOf = ({ paths }: OpenApiDocument): readonly (readonly [string, readonly string[]])[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method, { parameters = [] }]) => {
        const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
        return [`${method.toUpperCase()} ${path}`, names] as const;
      })
      .filter(([operation]) => !ENDING.includes(operation)),
  );

/** They end the session that all others need. */
const ENDING = ['POST /v1/auth/sign-out', 'POST /v1/auth/delete-user'];
