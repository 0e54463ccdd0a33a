import fc from 'fast-check';
import type { RouteRequest } from './route-requests';

/** The request that is sent in the end. */
export interface MutatedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
}

interface Draft extends RouteRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** In place of the body as JSON. */
  readonly raw?: string | Buffer;
}

type Mutation = (draft: Draft) => Draft;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE', 'SEARCH', 'M-SEARCH'];

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(5_000),
    'ä'.repeat(300),
    '👩‍👩‍👧',
    '2026-02-30',
    '9999999999',
    'https://x',
    '%',
    '{{',
    '../..',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const headerText = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    '*',
    '"1"',
    '-1',
    '99999999999',
    'e'.repeat(3_000),
    'a,b;c=d',
    '\u00e9',
    'Bearer',
    'Basic x',
    'null',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
);

const HEADERS = [
  ...['content-type', 'accept', 'origin', 'cookie', 'authorization', 'x-api-key', 'idempotency-key', 'if-match'],
  ...['x-min-position', 'x-request-id', 'x-forwarded-for', 'host', 'referer', 'user-agent', 'databuddy-client-id'],
  ...['accept-version', 'content-encoding', 'x-correlation-id', 'range', 'access-control-request-method'],
];

const TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'nonsense',
  'application/json; charset=latin1',
];

const place = fc.nat(1_000);

/** One way to spoil a request. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(place, strange).map(([at, value]) => withBody((body) => replaced(body, at, value))),
  },
  { weight: 2, arbitrary: place.map((at) => withBody((body) => dropped(body, at))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')), strange)
      .map(([name, value]) => withBody((body) => added(body, name, value))),
  },
  { weight: 1, arbitrary: strange.map((value) => withBody(() => value)) },
  {
    weight: 1,
    arbitrary: fc.nat(200).map((end): Mutation => (draft) => ({
      ...draft,
      raw: JSON.stringify([draft.body]).slice(1).slice(0, end),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes): Mutation => (draft) => ({
      ...draft,
      raw: Buffer.from(bytes),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(101, 20_000).map((depth): Mutation => (draft) => ({
      ...draft,
      raw: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '1e999',
        '-1e999',
        '{"name":1e400}',
        '{"a":1,"a":2}',
        '\ufeff{}',
        'NaN',
        `"${'x'.repeat(1_100_000)}"`,
      )
      .map((raw): Mutation => (draft) => ({ ...draft, raw })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...HEADERS), headerText).map(([name, value]): Mutation => (draft) => ({
      ...draft,
      headers: { ...draft.headers, [name]: value },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...TYPES).map((type): Mutation => (draft) => ({
      ...draft,
      headers: { ...draft.headers, 'content-type': type },
    })),
  },
  { weight: 1, arbitrary: fc.constant<Mutation>((draft) => ({ ...draft, headers: {} })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...METHODS).map((method): Mutation => (draft) => ({ ...draft, method })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'website_id',
          'link_id',
          'organizationId',
          'timezone',
          'limit',
          'page',
          'cursor',
          'sort',
          'search',
          'client_id',
          '__proto__',
        ),
        strange,
      )
      .map(([name, value]): Mutation => (draft) => ({ ...draft, query: { ...draft.query, [name]: String(value) } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        '/',
        '//',
        '/%00',
        '/%zz',
        '/%F0%9F%92%A9',
        '/..',
        '/../..',
        `/${'y'.repeat(400)}`,
        '/;x',
        '/%2e%2e',
        '/*',
        '/constructor',
        '/__proto__',
      )
      .map((more): Mutation => (draft) => ({ ...draft, path: `${draft.path.replace(/[^/]*$/, '')}${more.slice(1)}` })),
  },
);

/** A request with up to three mutations, which may also be none. */
export const mutated = (
  request: RouteRequest,
  headers: Readonly<Record<string, string>>,
): fc.Arbitrary<MutatedRequest> =>
  fc
    .array(mutation, { maxLength: 3 })
    .map((mutations) => sent(mutations.reduce<Draft>((draft, each) => each(draft), { ...request, headers })));

function sent({ method, path, query, headers, body, raw }: Draft): MutatedRequest {
  const search = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.replaceAll(/\p{Cs}/gu, '?'))}`,
  );
  const url = `${path}${search.length > 0 ? `?${search.join('&')}` : ''}`;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const type: Record<string, string> =
    payload === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' };
  return { method, url, headers: { ...type, ...headers }, ...(payload === undefined ? {} : { payload }) };
}

const withBody =
  (change: (body: unknown) => unknown): Mutation =>
  (draft) => ({ ...draft, body: change(structuredClone(draft.body)) });

/** Every place in a JSON value: the object or list that holds it, and its name there. */
function placesIn(value: unknown): (readonly [holder: Record<string, unknown>, name: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((name) => [[holder, name] as const, ...placesIn(holder[name])]);
}

function replaced(body: unknown, at: number, value: unknown): unknown {
  const places = placesIn(body);
  const [holder, name] = places[at % Math.max(places.length, 1)] ?? [];
  if (!holder || name === undefined) return value;
  holder[name] = value;
  return body;
}

function dropped(body: unknown, at: number): unknown {
  const places = placesIn(body);
  const [holder, name] = places[at % Math.max(places.length, 1)] ?? [];
  if (!holder || name === undefined) return undefined;
  return Array.isArray(holder) ? (holder.splice(Number(name), 1), body) : (Reflect.deleteProperty(holder, name), body);
}

/** To the first item of a list; also where the name is `__proto__`. */
function added(body: unknown, name: string, value: unknown): unknown {
  const target: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return body;
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  return body;
}
