import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../api/ask';
import { startTestApi, type TestApi } from '../api/test-api';
import { clientSchema, type ApiDocument } from './client-schema';

const FILE = join(__dirname, '..', '..', 'libs', 'client', 'src', 'schema.ts');

describe('the types of the client', () => {
  it('are those of the OpenAPI document', async () => {
    const document = (await ask(api, 'GET /openapi.json')).body as unknown as ApiDocument;
    const types = clientSchema(document);
    if (process.env['UPDATE_DOCS']) writeFileSync(FILE, types);
    expect(readFileSync(FILE, 'utf8') === types).toBe(true); // stale: npm run client-types
  });
});

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());
