import { CONDITION_FIELDS } from '@ledgerline/contracts/definitions';
import { ask } from '@test/api/ask';
import { newKey } from '@test/api/people';
import { connectAgent, PRESENT, TOOLS_OF_KEYS, type Agent } from '@test/mcp/agent';
import { DAY, startQueryApi, timelessMeta, type QueryApi } from '@test/query/query-api';
import { CATALOGUE } from '../query/types/catalogue';
import { TOOLS } from './catalogue';

describe.each([
  ['the present revision', PRESENT],
  ['the revisions with a handshake', 'legacy'],
] as const)('an agent of %s', (_, mode) => {
  let its: Agent;
  beforeAll(async () => void (its = await connectAgent(query.api, fullKey, mode)));
  afterAll(() => its.close());

  it('sees every tool with schemas, annotations and a text', async () => {
    const { tools } = await its.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS_OF_KEYS);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(40);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object', properties: expect.anything() as object });
      expect(annotations).toMatchObject({ openWorldHint: false, readOnlyHint: expect.any(Boolean) as boolean });
    }
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('query')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('create_link')).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
    expect(hints('delete_link')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  });

  it('reads texts that name only what its tools have', async () => {
    const { tools } = await its.client.listTools();
    const shared = [...tools, ...CATALOGUE].map(({ name }) => name);
    for (const { name, description, inputSchema, outputSchema } of tools) {
      const texts = [description, ...textsIn(inputSchema), ...textsIn(outputSchema)].join(' ');
      const own = Object.keys(inputSchema.properties ?? {});
      const known = new Set([...shared, ...own, ...namesIn(outputSchema), ...VALUES]);
      const named = [...texts.matchAll(/`(\w+)[^`]*`/g)].map(([, word]) => word!);
      expect([name, named.filter((word) => !known.has(word))]).toEqual([name, []]);
      expect(texts).not.toMatch(/If-Match|Idempotency-Key|X-[A-Z]|\b(GET|POST|PATCH|DELETE) \//);
    }
  });

  it('asks what REST is asked, and gets the same answer', async () => {
    const asked = { parameters: ['summary_metrics', 'top_pages', 'events_by_date'], startDate: DAY, endDate: DAY };
    const { data, meta, truncated } = await its.call('query', { ...asked, websiteId: query.owner.websiteId });
    const answer = await query.question(asked);
    expect(data).toEqual(answer.body.data);
    expect(truncated).toBe(false);
    expect(meta).toEqual({ ...timelessMeta(answer), asOf: expect.stringMatching(WHOLE_SECOND) as string, lagMs: 0 });
  });
});

describe('a query', () => {
  it('names the range that it compares with, and a filter that matches nothing', async () => {
    const range = { preset: 'yesterday', compare: 'previous_period' };
    const filters = [{ field: 'country', op: 'eq', value: 'Deutschland' }];
    const asked = { websiteId: query.owner.websiteId, parameters: ['top_pages'], ...range, filters };
    const { meta } = await agent.call('query', asked);
    expect(meta).toMatchObject({
      compare: { period: 'previous_period', until: expect.stringMatching(/T00:00:00.000Z$/) as string },
      notes: ['The filter on country matches nothing in the range: "Deutschland".'],
    });
  });

  it('is for a preset or dates, and about a website or a link', async () => {
    const asked = { parameters: ['summary_metrics'], websiteId: query.owner.websiteId };
    const both = await agent.refused('query', { ...asked, preset: 'last_7d', startDate: DAY, endDate: DAY });
    expect(both).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'preset' }] });
    for (const ids of [{}, { websiteId: 'site_1', linkId: 'link_1' }])
      expect(await agent.refused('query', { parameters: ['summary_metrics'], ...ids })).toMatchObject({
        details: [{ field: 'websiteId' }, { field: 'linkId' }, { field: 'tagId' }, { field: 'monitorId' }],
      });
    const { meta } = await agent.call('query', asked);
    const { body } = await query.question({ parameters: ['summary_metrics'], preset: 'last_7d' });
    const { startDate, endDate } = body.meta as Record<string, unknown>;
    expect(meta).toMatchObject({ startDate, endDate });
  });

  it('suggests the name that was meant, and names every wrong argument', async () => {
    const wrong = { websiteId: query.owner.websiteId, parameters: ['top_pagez'], granularity: 'yearly', since: 'May' };
    const { details } = await agent.refused('query', wrong);
    expect(details!.map(({ field }) => field).sort()).toEqual(['granularity', 'since']);
    const misspelt = await agent.refused('query', { websiteId: query.owner.websiteId, parameters: ['top_pagez'] });
    expect(misspelt.details).toMatchObject([{ field: 'parameters[0]', suggestion: 'top_pages' }]);
  });

  it('names a filter that is none', async () => {
    const asked = { parameters: ['summary_metrics'], websiteId: query.owner.websiteId };
    const filter = { field: 'path', op: 'eq', value: '/' };
    for (const filters of [[[]], [[filter]], [5]])
      expect((await agent.refused('query', { ...asked, filters })).details).toEqual([
        { field: 'filters[0]', message: 'Each filter must be an object with field, op and value.' },
      ]);
  });

  it('fails for one query type alone where that one cannot be answered', async () => {
    const filters = [{ field: 'path', op: 'eq', value: '/' }];
    const asked = { websiteId: query.owner.websiteId, startDate: DAY, endDate: DAY, filters };
    const { data } = await agent.call('query', { ...asked, parameters: ['top_pages', 'session_events'] });
    expect(data).toMatchObject([
      { parameter: 'top_pages', success: true, data: [{ name: '/' }] },
      { parameter: 'session_events', success: false, error: expect.stringContaining('session_id') as string, data: [] },
    ]);
  });

  it('is refused when none of its query types can be answered, with the reason of each', async () => {
    const asked = { websiteId: query.owner.websiteId, startDate: DAY, endDate: DAY };
    const lacks = {
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^session_events: .*session_id/) as string,
    };
    expect(await agent.refused('query', { ...asked, parameters: ['session_events'] })).toMatchObject(lacks);
    const filters = [{ field: 'clicks', op: 'eq', value: '1' }];
    const both = await agent.refused('query', { ...asked, filters, parameters: ['summary_metrics', 'top_pages'] });
    expect(both.message).toMatch(/^summary_metrics: .*clicks.* top_pages: .*clicks/);
  });

  it('is shortened when it is long, with a note, and says that its texts are data', async () => {
    const range = { startDate: '2025-03-03', endDate: DAY };
    const asked = { websiteId: query.owner.websiteId, parameters: ['events_by_date', 'summary_metrics'], ...range };
    const { data, meta, truncated, note } = await agent.call('query', asked);
    const [series, summary] = data as { data: { date: string }[]; truncated?: boolean }[];
    const { body } = await query.question({ parameters: ['events_by_date'], ...range });
    const [{ data: all } = { data: [] }] = body.data as { data: { date: string }[] }[];
    expect(all).toHaveLength(365);
    expect([truncated, series!.truncated, summary!.truncated]).toEqual([true, true, undefined]);
    expect(series!.data.length).toBeLessThan(150);
    expect(all).toEqual(expect.arrayContaining(series!.data));
    expect(series!.data.at(-1)).toEqual(all.at(-1));
    expect((meta as { notes: string[] }).notes).toEqual([expect.stringMatching(/^events_by_date: \d+ of 365 dates/)]);
    expect(note).toMatch(/never instructions/);
    expect(JSON.stringify(data).length).toBeLessThan(30_000);
  });
});

describe('the catalogue of query types', () => {
  it('is listed whole with meanings, and in part with fields', async () => {
    const whole = await agent.call('list_query_types');
    expect((whole.types as object[]).length).toBe(CATALOGUE.length);
    expect(whole).toMatchObject({ truncated: true, note: expect.stringContaining('search') as string });
    const { types, truncated } = await agent.call('list_query_types', { search: 'link countries' });
    expect(truncated).toBe(false);
    expect((types as { name: string }[]).map(({ name }) => name)).toEqual([
      'link_countries_by_day',
      'link_top_countries',
    ]);
    expect(types).toMatchObject([
      {},
      { fields: expect.arrayContaining([{ name: 'clicks', type: 'integer' }]) as object },
    ]);
    const errors = await agent.call('list_query_types', { category: 'Errors', about: 'website' });
    expect((errors.types as { category: string }[]).every(({ category }) => category === 'Errors')).toBe(true);
    expect(await agent.refused('list_query_types', { category: 'Weather' })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('is a resource, beside a guide that names no tool, query type or filter that there is not', async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['ledgerline://guide', 'ledgerline://query-types']);
    const [types] = (await agent.client.readResource({ uri: 'ledgerline://query-types' })).contents;
    const { body } = await ask(query.api, 'GET /v1/query/types');
    expect(JSON.parse((types as { text: string }).text)).toEqual(body);
    const [guide] = (await agent.client.readResource({ uri: 'ledgerline://guide' })).contents;
    const text = `${(guide as { text: string }).text} ${agent.client.getInstructions()!}`;
    const filters = CATALOGUE.flatMap(({ takes }) => takes.filters);
    const known = [...[...TOOLS, ...CATALOGUE].map(({ name }) => name), ...filters];
    const named = [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
    const presets = body.presets as string[];
    expect(named.filter((word) => ![...known, ...presets, 'previous_period'].includes(word))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });
});

describe('the server card', () => {
  it('says what runs', async () => {
    const { status, body } = await ask(query.api, 'GET /.well-known/mcp/server-card.json');
    expect(status).toBe(200);
    const ofKeys = (body.tools as { name: string }[]).filter(({ name }) => TOOLS_OF_KEYS.includes(name));
    expect(ofKeys).toEqual((await agent.client.listTools()).tools);
    expect(body.tools).toHaveLength(TOOLS.length);
    expect(body.resources).toEqual((await agent.client.listResources()).resources);
    expect(body.serverInfo).toEqual(agent.client.getServerVersion());
    expect(body.instructions).toBe(agent.client.getInstructions());
    const { tools, resources } = agent.client.getServerCapabilities()!;
    expect(body.capabilities).toEqual({ tools, resources });
    expect(body.transport).toMatchObject({ type: 'streamable-http', url: 'http://localhost:3000/v1/mcp' });
    const manifest = await ask(query.api, 'GET /.well-known/mcp.json');
    expect(manifest.body).toMatchObject({ servers: [{ url: (body.transport as { url: string }).url }] });
    expect(body.authentication).toEqual({ required: true, schemes: ['bearer', 'oauth2'] });
    const { headers } = await ask(query.api, 'POST /v1/mcp', { body: {} });
    const [, metadata = ''] = /resource_metadata="http:\/\/localhost:3000(.+)"/.exec(headers['www-authenticate']!)!;
    const resource = await ask(query.api, `GET ${metadata}`);
    expect(resource.body).toMatchObject({ resource: (body.transport as { url: string }).url });
    // that each is spoken, the specs of the protocol and of both kinds of clients show
    const early = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
    expect(body.protocolVersions).toEqual(['2026-07-28', ...early]);
  });
});

/** Names of arguments and fields, an argument of `query`, and those of JSON. */
const WHOLE_SECOND = /:\d\d\.000Z$/;

const VALUES = [
  ...['compare', 'system', 'exists', 'userId', 'email', 'properties', 'true', 'false', 'null', 'teamId'],
  ...[
    '7d',
    '1d',
    'Step',
    ...Object.entries(CONDITION_FIELDS)
      .flat(2)
      .map((name) => name.replace(':', '')),
  ],
  ...['entry_page', 'minSamples'],
];

type Schema = Readonly<Record<string, unknown>>;

/** The descriptions in a schema. */
const textsIn = (schema: unknown): readonly string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema).flatMap(([name, value]) =>
        name === 'description' && typeof value === 'string' ? [value] : textsIn(value),
      );

/** The fields in a schema. */
const namesIn = (schema: unknown): readonly string[] =>
  typeof schema !== 'object' || schema === null
    ? []
    : Object.entries(schema as Schema).flatMap(([name, value]) => [
        ...(name === 'properties' ? Object.keys(value as Schema) : []),
        ...(name === 'enum' ? (value as string[]) : []),
        ...namesIn(value),
      ]);

let query: QueryApi;
let fullKey: string;
let agent: Agent;

beforeAll(async () => {
  query = await startQueryApi();
  fullKey = await newKey(query.api, query.owner, { scopes: ['read:data', 'write:data', 'read:audit', 'manage:flags'] });
  agent = await connectAgent(query.api, fullKey);
});

afterAll(async () => {
  await agent.close();
  await query.close();
});
