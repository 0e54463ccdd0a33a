import fc from 'fast-check';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { plausibleRequest, type OpenApiDocument, type RouteRequest } from '../http/route-requests';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { runs } from '../random-runs';

const SEED = 20_261_123;

describe('a text that is no Unicode, or holds a NUL', () => {
  it('is refused in every field of every body, by its name', async () => {
    const places = operations().flatMap((operation) => {
      const { body } = requestTo(operation);
      return textsIn(body).map((way) => ({ operation, way }));
    });
    expect(places.length).toBeGreaterThan(100);
    await everywhere(places, fc.constantFrom('\u0000', '\ud800', '\udfff', '\udc00\ud800'), async (place, bad) => {
      const { method, path, query, body } = requestTo(place.operation);
      const sent = { headers: owner.headers, ...bodyOf(place.operation, withText(body, place.way, bad)) };
      const { status, body: answer } = await ask(api, `${method as 'POST'} ${urlOf(path, query)}`, sent);
      return { seen: [status, fieldsOf(answer)], expected: [400, [nameOf(place.way)]] };
    });
  });

  it('is refused in the arguments of a tool, by its name', async () => {
    const params = { name: 'list_links', arguments: { search: 'a\ud800' } };
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { status, body } = await ask(api, 'POST /v1/mcp', { body: message, headers });
    expect([status, fieldsOf(body)]).toEqual([400, ['params.arguments.search']]);
  });

  it('is refused in every parameter of every query string and path, by its name', async () => {
    const places = operations().flatMap((operation) => parametersOf(operation).map((name) => ({ operation, name })));
    expect(places.length).toBeGreaterThan(50);
    await everywhere(places, fc.constant('\u0000'), async ({ operation, name }, bad) => {
      const { status, body } = await ask(api, spoiled(operation, name, encodeURIComponent(bad)), owner);
      return { seen: [status, fieldsOf(body)], expected: [400, [name]] };
    });
  });

  it('never fails a request whose address holds bytes that are no UTF-8', async () => {
    const places = operations().flatMap((operation) => parametersOf(operation).map((name) => ({ operation, name })));
    await everywhere(places, fc.constantFrom('%ED%A0%80', '%ff', '%'), async ({ operation, name }, bad) => {
      const { status } = await ask(api, spoiled(operation, name, bad), owner);
      return { seen: status < 500, expected: true };
    });
  });
});

/** Every place with one of the texts, which it holds at its beginning, at its end or alone. */
const everywhere = <Place extends { readonly operation: string }>(
  places: readonly Place[],
  bad: fc.Arbitrary<string>,
  attempt: (place: Place, text: string) => Promise<{ readonly seen: unknown; readonly expected: unknown }>,
) =>
  fc.assert(
    fc.asyncProperty(textsFor(bad, places.length), async (texts) => {
      for (const [at, place] of places.entries()) {
        const { seen, expected } = await attempt(place, texts[at]!.join(''));
        expect({ ...place, seen }).toEqual({ ...place, seen: expected });
      }
    }),
    { seed: SEED, numRuns: runs(1), endOnFailure: true },
  );

const textsFor = (bad: fc.Arbitrary<string>, count: number) =>
  fc.array(fc.tuple(fc.constantFrom('', 'a'), bad, fc.constantFrom('', 'b')), { minLength: count, maxLength: count });

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let document: Document;

type Document = OpenApiDocument & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly servers?: readonly object[] }>>>>;
};

/** `POST /v1/links/{id}`, without those of the tracking host. */
const operations = (): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );

const operationOf = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ');
  return document.paths[path]![method.toLowerCase()]!;
};

const contentOf = (operation: string) => Object.entries(operationOf(operation).requestBody?.content ?? {})[0];

function requestTo(operation: string): RouteRequest {
  const known = { id: 'x', organizationId: owner.organizationId, website_id: owner.websiteId };
  return plausibleRequest(operation.replaceAll(/\{(\w+)\}/g, ':$1'), known, document);
}

const bodyOf = (operation: string, body: unknown): { readonly body: object | string } =>
  contentOf(operation)?.[0] === 'application/x-www-form-urlencoded'
    ? { body: new URLSearchParams(body as Record<string, string>).toString() }
    : { body: body as object };

/** The ways to the texts within a value. */
function textsIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value === 'string') return [[]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsIn(each).map((way) => [name, ...way]));
}

function withText(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = withText(copy[name], rest, text);
  return copy;
}

const nameOf = (way: readonly string[]) =>
  way.reduce((all, name) => (/^\d+$/.test(name) ? `${all}[${name}]` : all === '' ? name : `${all}.${name}`), '');

const fieldsOf = ({ details }: Readonly<Record<string, unknown>>) =>
  (details as readonly { readonly field: string }[] | undefined)?.map(({ field }) => field);

const parametersOf = (operation: string): readonly string[] =>
  (operationOf(operation).parameters ?? [])
    .filter((each) => each.in === 'path' || each.in === 'query')
    .map(({ name }) => name);

/** A request with a text, as an address has it, in one of its parameters. */
function spoiled(operation: string, name: string, text: string): `GET ${string}` {
  const [method, template = ''] = operation.split(' ');
  const { query } = requestTo(operation);
  const path = template.replaceAll(/\{(\w+)\}/g, (_, each: string) => (each === name ? text : 'x'));
  const { [name]: inQuery, ...others } = query;
  const url = urlOf(path, others);
  const more = inQuery === undefined ? '' : `${url.includes('?') ? '&' : '?'}${name}=${text}`;
  return `${method as 'GET'} ${url}${more}`;
}

const urlOf = (path: string, query: Readonly<Record<string, string>>): string =>
  Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query).toString()}` : path;

beforeAll(async () => {
  const names = ['API', 'PUBLIC', 'QUERY', 'QUERY_ANONYMOUS', 'FAILED_AUTH', 'AUDIT_EXPORT'];
  api = await startTestApi(Object.fromEntries(names.map((name) => [`LIMIT_${name}_PER_MINUTE`, '1000000'])));
  await api.signHeads();
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  await projector.catchUp();
  document = (await ask(api, 'GET /openapi.json')).body as unknown as Document;
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
