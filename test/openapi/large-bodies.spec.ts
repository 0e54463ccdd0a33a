import { getMetadataStorage } from 'class-validator';
import { createLogger } from '@ledgerline/platform/logging/logger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { plausibleRequest, type OpenApiDocument, type Schema } from '../http/route-requests';
import { DEEP, fillings, fullOf, placesIn, type Place } from './large-bodies';

/** Objects that are validated of one request. */
const MOST_OBJECTS = 1_200;
/** Bytes of a refusal beyond those of its request. */
const MOST_ADDED = 16 * 1024;

jest.setTimeout(480_000); // some hundred bodies of a megabyte

describe('a body that is as large as it may be', () => {
  it('is taken or refused shortly in every place of every operation, however it is filled', async () => {
    let places = 0;
    const seen = new Set<string>();
    for (const operation of operations(false)) {
      const schema = schemaOf(operation);
      for (const place of placesIn(schema, document, known(), seen)) {
        places++;
        for (const filling of fillings(place)) await expectBounded(operation, place, filling);
      }
    }
    expect(places).toBeGreaterThan(300);
  });

  it('is refused shortly where all lists within lists are full', async () => {
    for (const operation of operations(false))
      for (const leaf of ['{}', '""', '5'])
        await expectBounded(operation, WHOLE, fullOf(schemaOf(operation), document, leaf));
    await expectBounded('POST /v1/query', WHOLE, DEEP);
  });

  it('is refused shortly in every argument of every tool', async () => {
    const seen = new Set<string>();
    const { tools } = (await callMcp('tools/list', '{}')).result as { tools: { name: string; inputSchema: Schema }[] };
    for (const { name, inputSchema } of tools)
      for (const place of placesIn(inputSchema, asDocument(inputSchema), known(), seen))
        for (const filling of fillings(place)) {
          const text = `{"name":"${name}","arguments":${place.bodyWith(filling)}}`;
          const { result, ...seen } = await callMcp('tools/call', text);
          const isRefused = (result as { isError?: boolean } | undefined)?.isError ?? true;
          // a question is read as an argument and as a question
          const objects = seen.objects / 2;
          expectShort(
            { name, ...shown(place, filling) },
            { ...seen, objects, isRefused, sent: Buffer.byteLength(text) },
          );
        }
  });

  it('is refused shortly by every route of the tracking host', async () => {
    const seen = new Set<string>();
    for (const operation of operations(true)) {
      const path = operation.split(' ')[1] ?? '';
      for (const place of placesIn(schemaOf(operation), document, known(), seen))
        for (const filling of fillings(place)) {
          const payload = place.bodyWith(filling);
          const headers = { 'content-type': 'application/json', 'user-agent': BROWSER };
          const url = `${path}?client_id=${owner.websiteId}`;
          const { statusCode: status, body } = await tracker.inject({ method: 'POST', url, payload, headers });
          const [sent, bytes] = [Buffer.byteLength(payload), Buffer.byteLength(body)];
          expectShort({ operation, ...shown(place, filling) }, { status, bytes, sent, objects: 0, isRefused: true });
        }
    }
  });
});

it('every list of every body has a documented limit', () => {
  const without = operations(false).flatMap((operation) =>
    placesIn(schemaOf(operation), document, known())
      .filter(({ holds, max }) => holds === 'items' && max === undefined)
      .map(({ way }) => `${operation} ${way}`),
  );
  expect(without.filter((place) => !ANY_JSON.some((field) => place.includes(field)))).toEqual([]);
});

/** Fields of any JSON, which have a limit in bytes. */
const ANY_JSON = ['.payload', '.defaultValue', '.value'];

it('every list of every class has a limit', () => {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    readonly validationMetadatas: ReadonlyMap<new () => object, readonly { readonly propertyName: string }[]>;
  }; // the library keeps the rules in a private map
  const without = [...validationMetadatas.keys()].flatMap((type) => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    const isLimited = (field: string) =>
      rules.some(({ propertyName, name = '' }) => propertyName === field && /^(arrayMaxSize|maxEntries)$/.test(name));
    const lists = rules.filter(({ name, each }) => each || name === 'isArray').map(({ propertyName }) => propertyName);
    return [...new Set(lists)].filter((field) => !isLimited(field)).map((field) => `${type.name}.${field}`);
  });
  expect(without).toEqual([]);
});

let api: TestApi;
let tracker: NestFastifyApplication;
let projector: DirectProjector;
let owner: Owner;
let key: string;
let document: OpenApiDocument;

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const WHOLE = { way: '', holds: 'items', item: '', bodyWith: (json: string) => json } as const satisfies Place;

const known = () => ({ organizationId: owner.organizationId, website_id: owner.websiteId, websiteId: owner.websiteId });

const shown = ({ way, holds }: Place, filling: string) => ({ way, holds, filling: filling.slice(0, 20) });

const asDocument = (schema: Schema & { readonly $defs?: Readonly<Record<string, Schema>> }): OpenApiDocument => ({
  paths: {},
  components: { schemas: schema.$defs ?? {} },
});

/** Those with a body: `POST /v1/links/{id}`; of the tracking host, or of the api. */
const operations = (isTracking: boolean): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers, requestBody }]) => (servers !== undefined) === isTracking && requestBody)
      .map(([method]) => `${method.toUpperCase()} ${path}`)
      .filter((operation) => operation !== 'POST /v1/mcp'),
  );

const contentOf = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ');
  return Object.entries(document.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {})[0];
};

const schemaOf = (operation: string): Schema => contentOf(operation)?.[1].schema ?? {};

interface Seen {
  readonly status: number;
  readonly sent: number;
  readonly bytes: number;
  readonly objects: number;
  readonly isRefused: boolean;
}

const expectShort = (what: object, { status, sent, bytes, objects, isRefused }: Seen) =>
  expect({
    ...what,
    hasFailed: status >= 500,
    moreBytes: isRefused ? Math.max(0, bytes - sent - MOST_ADDED) : 0,
    moreObjects: Math.max(0, objects - MOST_OBJECTS),
  }).toEqual({ ...what, hasFailed: false, moreBytes: 0, moreObjects: 0 });

/** Sends a body with a place filled, as JSON or as a form. */
async function expectBounded(operation: string, place: Place, filling: string): Promise<void> {
  const isForm = contentOf(operation)?.[0] === 'application/x-www-form-urlencoded';
  const json = place.bodyWith(filling);
  const body = isForm ? json.replaceAll(/[^\w]+/g, '&') : json;
  const { method, path, query } = plausibleRequest(
    operation.replaceAll(/\{(\w+)\}/g, ':$1'),
    { id: 'x', ...known() },
    document,
  );
  const url = Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query).toString()}` : path;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  validated.mockClear();
  const answer = await ask(api, `${method as 'POST'} ${url}`, {
    body,
    headers: { ...owner.headers, 'content-type': type },
  });
  const objects = operation === BATCH ? 0 : validated.mock.calls.length;
  const { status, text } = answer;
  const seen = {
    status,
    sent: Buffer.byteLength(body),
    bytes: Buffer.byteLength(text),
    objects,
    isRefused: status >= 400,
  };
  expectShort({ operation, ...shown(place, filling) }, seen);
}

/** Its items are validated each for itself. */
const BATCH = 'POST /v1/links/bulk';

async function callMcp(method: string, params: string) {
  validated.mockClear();
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': key,
  };
  const { status, text } = await ask(api, 'POST /v1/mcp', { body, headers });
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as { result?: unknown };
  return { result, status, bytes: Buffer.byteLength(text), objects: validated.mock.calls.length };
}

let validated: jest.SpyInstance;

beforeAll(async () => {
  const names = ['API', 'PUBLIC', 'QUERY', 'QUERY_ANONYMOUS', 'FAILED_AUTH', 'AUDIT_EXPORT', 'FLAGS'];
  api = await startTestApi({
    ...Object.fromEntries(names.map((name) => [`LIMIT_${name}_PER_MINUTE`, '1000000'])),
    LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: '1000000',
  });
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit'] });
  tracker = await createTracker(api.settings, createLogger('tracker', 'fatal'));
  await tracker.listen(0, '127.0.0.1');
  await projector.catchUp();
  document = (await ask(api, 'GET /openapi.json')).body as unknown as OpenApiDocument;
  // called once for each object that is validated
  validated = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
});

afterAll(async () => {
  await tracker.close();
  await projector.close();
  await api.close();
});
