import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { ask } from '../api/ask';
import { DAY, startQueryApi, type QueryApi } from '../query/query-api';

/** The test api compares every response with the schema of its rows when it closes. */
describe('the rows of every query type', () => {
  it('of websites, links and monitors are as documented', async () => {
    const names = (about: string) => CATALOGUE.filter((type) => type.about === about).map(({ name }) => name);
    const range = { startDate: DAY, endDate: DAY };
    for (const parameters of inTwenties(names('website'))) {
      const { status, body } = await query.question({ ...range, parameters });
      expect([status, (body.data as object[]).length]).toEqual([200, parameters.length]);
    }
    const { api, owner, key } = query;
    const link = { organizationId: owner.organizationId, name: 'Link', targetUrl: 'https://example.com/' };
    const { id } = (await ask(api, 'POST /v1/links', { body: link, headers: owner.headers })).body as { id: string };
    for (const parameters of inTwenties(names('link'))) {
      const sent = { body: { ...range, parameters }, headers: { 'x-api-key': key } };
      expect((await ask(api, `POST /v1/query?link_id=${id}`, sent)).status).toBe(200);
    }
    const monitor = { organizationId: owner.organizationId, name: 'Shop', url: 'https://example.com/' };
    const created = await ask(api, 'POST /v1/monitors', { body: monitor, headers: owner.headers });
    const sent = { body: { ...range, parameters: names('monitor') }, headers: { 'x-api-key': key } };
    expect((await ask(api, `POST /v1/query?monitor_id=${String(created.body.id)}`, sent)).status).toBe(200);
    await query.close();
  });
});

const inTwenties = (names: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(names.length / 20) }, (_, at) => names.slice(at * 20, at * 20 + 20));

let query: QueryApi;
beforeAll(async () => void (query = await startQueryApi()));
