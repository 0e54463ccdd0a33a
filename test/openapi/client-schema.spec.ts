import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../api/ask';
import { startTestApi, type TestApi } from '../api/test-api';
import { bodyFields, clientSchema, type ApiDocument } from './client-schema';

const ROOT = join(__dirname, '..', '..');

describe('the OpenAPI document', () => {
  it.each([
    ['the types of the client', 'libs/client/src/schema.ts', clientSchema],
    ['the fields of forms', 'apps/console/src/api/body-fields.ts', bodyFields],
  ])('is where %s come from', async (_, path, write) => {
    const document = (await ask(api, 'GET /openapi.json')).body as unknown as ApiDocument;
    const written = write(document);
    if (process.env['UPDATE_DOCS']) writeFileSync(join(ROOT, path), written);
    expect(readFileSync(join(ROOT, path), 'utf8') === written).toBe(true); // stale: npm run client-types
  });
});

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());
