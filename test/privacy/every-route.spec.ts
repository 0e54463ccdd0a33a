import { join } from 'node:path';
import { plausibleRequest, type Known, type OpenApiDocument } from '../http/route-requests';
import { untilAnswer } from '../journeys/product';
import { freePort } from '../network/free-port';
import { Installation } from '../reliability/installation';
import { newTenant, rowsOf, type Tenant } from '../reliability/tenant';
import { placesOf, storedInFiles, storedInTables, type Stored } from './stored-bytes';
import { ADDRESSES, ADDRESSES_AND_AGENTS, everyHit, PERSON, pixelOf } from './visitors';

jest.setTimeout(300_000);

describe('after requests to every route of both hosts, by people from two addresses', () => {
  let place: Installation;
  let tenant: Tenant;
  let metrics: Stored[];
  let tables: Stored[];
  let files: Stored[];

  beforeAll(async () => {
    const metricsPort = await freePort();
    place = await Installation.open(
      { api: 1, tracker: 1, projector: 1 },
      {
        TRUST_PROXY: 'true',
        LOG_LEVEL: 'trace',
        PROJECTOR_METRICS_PORT: String(metricsPort),
        LIMIT_FAILED_AUTH_PER_MINUTE: '100000',
      },
    );
    tenant = await newTenant(place.url('api'));
    for (const address of Object.values(ADDRESSES)) {
      const headers = { 'x-forwarded-for': address, 'user-agent': PERSON };
      await ask(headers);
      await visit(headers);
    }
    await untilAnswer(
      () => rowsOf(place.url('api'), tenant, 'summary_metrics', 'website'),
      ([row]) => Number(row?.pageviews) >= 2,
    );
    metrics = await Promise.all(
      [place.url('api'), place.url('tracker'), `http://127.0.0.1:${metricsPort}`].map(metricsOf),
    );
    tables = await storedInTables(place.databaseUrl);
    files = [
      ...(await storedInFiles(join(place.folder, 'logs'))),
      ...(await storedInFiles(join(place.folder, 'spool'))),
    ];
  });
  afterAll(() => place.close());

  /** Every documented request, without a credential and as a signed-in person; what ends things comes last. */
  async function ask(headers: Sent): Promise<void> {
    const url = place.url('api');
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    const { organizationId, websiteId, linkId } = tenant;
    const ids: Known = { organizations: organizationId, websites: websiteId, links: linkId };
    const known: Known = { ...tenant, website_id: websiteId, clientId: websiteId };
    const succeeded = new Set<string>();
    const identities: readonly Sent[] = [{}, { cookie: tenant.cookie }, { 'x-api-key': tenant.key }];
    for (const identity of identities)
      for (const route of routes.filter((each) => !/^DELETE|sign-out/.test(each))) {
        const { method, path, query, body } = plausibleRequest(
          route,
          { ...known, id: ids[route.split('/')[2] ?? ''] ?? 'none' },
          document,
        );
        const search = new URLSearchParams(query).toString();
        const withBody = body !== undefined && method !== 'GET';
        const answer = await fetch(`${url}${path}?${search}`, {
          method,
          redirect: 'manual',
          headers: { ...headers, ...identity, ...(withBody ? JSON_TYPE : {}) },
          ...(withBody ? { body: JSON.stringify(body) } : {}),
        });
        await answer.arrayBuffer();
        expect([route, answer.status < 500]).toEqual([route, true]);
        if (answer.ok) succeeded.add(route);
      }
    expect(succeeded.size).toBeGreaterThan(30);
  }

  async function visit(headers: Sent): Promise<void> {
    const { websiteId, slug } = tenant;
    for (const [path, body] of everyHit(websiteId, headers['x-forwarded-for'] ?? '')) {
      const sent = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
      expect([path, (await fetch(`${place.url('tracker')}${path}`, { method: 'POST', ...sent })).status]).toEqual([
        path,
        200,
      ]);
    }
    for (const path of [pixelOf(websiteId), `/${slug}`, `/${slug}.svg`, '/nothing-there', '/tracker.js', '/health'])
      await (await fetch(`${place.url('tracker')}${path}`, { headers, redirect: 'manual' })).arrayBuffer();
  }

  it('every process has stored, logged and measured something', () => {
    expect(placesOf(tables, ['/scanned-page'])).toContain('/scanned-page in public.intake_segments');
    for (const name of ['api', 'tracker', 'projector'])
      expect(files.some(({ place: file, text }) => file.includes(`${name}-`) && text.length > 100)).toBe(true);
    for (const { text } of metrics) expect(text).toContain('ledgerline_');
    expect(tables.find(({ place: table }) => table === 'public.request_counts')?.text).not.toBe('');
  });

  it.each([
    ['table', () => tables],
    ['file', () => files],
    ['metric', () => metrics],
  ])('no %s has an address or a user agent of theirs', (_, stored) => {
    expect(placesOf(stored(), ADDRESSES_AND_AGENTS)).toEqual([]);
  });
});

type Sent = Readonly<Record<string, string>>;

const JSON_TYPE: Sent = { 'content-type': 'application/json' };

const metricsOf = async (url: string): Promise<Stored> => ({
  place: `metrics of ${url}`,
  text: await (await fetch(`${url}/metrics`)).text(),
});
