import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ask } from '@test/api/ask';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { build, root } from '@test/journeys/product';

describe('the console', () => {
  it.each(['/console', '/console/', '/console/sign-in', '/console/organizations/org_1/websites?search=a.b'])(
    'is one page, which is asked for again each time: %s',
    async (address) => {
      const { status, headers, text } = await ask(api, `GET ${address}`);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(text).toContain('<div id="console">');
      const { status: again } = await ask(api, `GET ${address}`, {
        headers: { 'if-none-match': String(headers.etag) },
      });
      expect(again).toBe(304);
    },
  );

  it('runs and loads nothing but its own files', async () => {
    const { headers, text } = await ask(api, 'GET /console');
    const [, script = ''] = /<script>([^]*)<\/script>\s*<link/.exec(text) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    );
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(script).not.toMatch(/<\/?script/);
    expect(text.replace(script, '')).not.toMatch(/<style|style=|https?:/);
  });

  it('has assets that are kept for ever, as another content has another name', async () => {
    expect(assets.length).toBeGreaterThan(3);
    for (const address of assets) {
      expect(address).toMatch(/-[A-Z0-9]{8}\.(js|css|svg)$/);
      const { status, headers } = await ask(api, `GET ${address}`, { headers: { 'accept-encoding': 'gzip, br' } });
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect([headers['content-encoding'], headers.vary]).toEqual(['br', 'Origin, Accept-Encoding']);
    }
  });

  it.each(['gzip', 'identity'])('sends assets as %s to those who ask for it', async (encoding) => {
    const { headers, text } = await ask(api, `GET ${main()}`, { headers: { 'accept-encoding': encoding } });
    expect(headers['content-encoding']).toBe(encoding === 'identity' ? undefined : encoding);
    expect(text).toBe(readFileSync(join(folder, main().replace('/console/', '')), 'utf8'));
  });

  it('refuses what it has not', async () => {
    for (const address of ['/console/assets/main.js', '/console/assets/..%2Findex.html', '/consoles']) {
      const { status, body } = await ask(api, `GET ${address}`);
      expect([address, status, body.code]).toEqual([address, 404, 'NOT_FOUND']);
    }
    expect((await ask(api, 'POST /console/sign-in', { body: {} })).status).toBe(405);
  });

  it('loads at most 200 KB, gzipped, before its first page', () => {
    const loaded = assets.map(
      (address) => gzipSync(readFileSync(join(folder, address.replace('/console/', '')))).length,
    );
    const pages = 20_000; // the code of one page, which is loaded after these
    expect(loaded.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024 - pages);
  });
});

/** The assets that the page names. */
let assets: readonly string[];
const folder = join(root, 'dist', 'apps', 'console');
let api: TestApi;

const main = () => assets.find((address) => address.includes('/main-')) ?? '';

beforeAll(async () => {
  await build();
  api = await startTestApi();
  const { text } = await ask(api, 'GET /console');
  assets = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, address]) => String(address));
});

afterAll(() => api.close());
