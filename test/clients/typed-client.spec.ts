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

  it('compiles and runs the example of its README', async () => {
    expect(await project.compile(await readmeExample())).toBe('');
    expect(await project.run()).toBe('2 /\nexample.com\n400 VALIDATION_ERROR startDate\n');
  });

  it.each([
    ['a field that the rows do not have', 'pages.data[0]?.nom;', "Property 'nom' does not exist"],
    ['a field as another type', 'const views: string | undefined = pages.data[0]?.pageviews;', "Type 'number"],
    ['an unknown query type', "await client.query({ website: '', parameters: ['top_page'] });", '"top_page"'],
    ['a query about nothing', "await client.query({ parameters: ['top_pages'] });", 'not assignable'],
    ['an unknown route', "await client.GET('/v1/linkz', {});", '"/v1/linkz"'],
  ])('does not compile %s', async (_, statement, message) => {
    const program = `${await readmeExample()}\n${statement}`;
    const diagnostics = await project.compile(program);
    expect(diagnostics).toContain(message);
    expect(diagnostics).toContain(`program.ts(${program.split('\n').length},`);
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
