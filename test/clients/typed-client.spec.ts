import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/documents';
import { temporaryFolder } from '../processes/temporary-folder.hooks';
import { startQueryApi, type QueryApi } from '../query/query-api';
import { installClient, type ClientProject } from './installed-client';

describe('the package of the client in an empty project', () => {
  it('needs nothing but openapi-fetch', () => {
    expect(Object.keys(project.manifest.dependencies)).toEqual(['openapi-fetch']);
  });

  it('compiles each option with a type that takes it', async () => {
    const example = await readmeExample();
    const condition = "{ kind: 'page' }";
    const statements = [
      `await client.query({ website: '', parameters: [{ name: 'journeys', from: ${condition}, limit: 3 }, 'city'] });`,
      `await client.query({ website: '', parameters: [{ name: 'vitals_overview', minSamples: 3 }], limit: 3 });`,
      `await client.query({ website: '', parameters: [{ name: 'active_stats', minutes: 3, id: 'now' }] });`,
    ];
    expect(await project.compile([example, ...statements].join('\n'))).toBe('');
  });

  it('compiles and runs the example of its README', async () => {
    expect(await project.compile(await readmeExample())).toBe('');
    expect(await project.run()).toBe('2 /\nexample.com\n400 VALIDATION_ERROR startDate\n');
  });

  it('does not compile fields, options, query types and routes that there are not, nor a query about nothing', async () => {
    const example = await readmeExample();
    const wrong: readonly (readonly [statement: string, message: string])[] = [
      ['pages.data[0]?.nom;', "Property 'nom' does not exist"],
      ['const views: string | undefined = pages.data[0]?.pageviews;', "Type 'number"],
      ["await client.query({ website: '', parameters: ['top_page'] });", '"top_page"'],
      ["await client.query({ parameters: ['top_pages'] });", 'not assignable'],
      ["await client.query({ website: '', parameters: [{ name: 'top_pages', limt: 3 }] });", 'never'],
      ["await client.query({ website: '', parameters: ['city', { name: 'top_pages', step: 3 }] });", 'never'],
      ["await client.query({ website: '', parameters: [{ name: 'top_pages', minSamples: 3 }] });", 'never'],
      ["await client.query({ website: '', parameters: ['top_pages'], limt: 3 });", "'limt'"],
      ["await client.GET('/v1/linkz', {});", '"/v1/linkz"'],
    ];
    const text = await project.compile([example, ...wrong.map(([statement]) => statement)].join('\n'));
    const diagnostics = text.split(/^(?=program\.ts)/m);
    const first = example.split('\n').length + 1;
    expect(diagnostics.map((each) => Number(/\((\d+),/.exec(each)?.[1]))).toEqual(wrong.map((_, at) => first + at));
    for (const [at, [, message]] of wrong.entries()) expect(diagnostics[at]).toContain(message);
  });
});

/** About a running api. */
async function readmeExample(): Promise<string> {
  const readme = readFileSync(join(root, 'libs', 'client', 'README.md'), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  return example
    .replace('http://localhost:3000', await query.api.app.getUrl())
    .replace('svc_…', query.key)
    .replaceAll('site_…', query.owner.websiteId);
}

let query: QueryApi;
let project: ClientProject;
beforeAll(async () => {
  query = await startQueryApi();
  project = await installClient(temporaryFolder('client'));
});
afterAll(() => query.close());
