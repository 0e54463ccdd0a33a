import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';
import { Favicons } from './favicons';

type Pages = Record<string, readonly [status: number, type: string, body: Buffer, encoding?: string]>;

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const page = (head: string): Pages[string] => [200, 'text/html', Buffer.from(`<title>Shop</title>${head}</head>`)];
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describe('the icon of a website', () => {
  it('is the one of its domain that is named for the best size, fetched once, and shown to those who may read it', async () => {
    pages = {
      '/': page('<link rel="icon" sizes="16x16" href="/16"><link rel="Shortcut Icon" sizes="48x48" href="48">'),
    };
    pages['/48'] = [200, 'text/html', PNG];
    expect((await icon()).status).toBe(204); // it is being fetched
    const { status, headers, text } = await fetchedIcon();
    expect([status, headers['content-type'], text.slice(1, 4)]).toEqual([200, 'image/png', 'PNG']);
    expect(headers).toMatchObject({
      'cache-control': 'private, max-age=86400',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.* sandbox$/) as string,
      'x-content-type-options': 'nosniff',
    });
    await fetchedIcon();
    expect(asked).toEqual(['/', '/48']);
    const key = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    expect((await ask(api, path(), { headers: key })).status).toBe(200);
    expect((await ask(api, path())).status).toBe(401);
  });

  it('is that of the host where the page names none that can be used', async () => {
    pages = { '/favicon.ico': [200, 'image/x-icon', Buffer.from('\0\0\x01\0\x01\0')] };
    pages['/'] = page(
      '<link rel=mask-icon href=/m.svg><link rel=icon href=/b.png><link rel=icon href="data:image/png;base64,AA">',
    );
    const html: (typeof pages)[string] = [200, 'image/png', Buffer.from('<html><svg></svg></html>')];
    pages['/m.svg'] = html;
    pages['/b.png'] = html;
    expect((await fetchedIcon()).headers['content-type']).toBe('image/x-icon');
    expect(asked).toEqual(['/', '/b.png', '/favicon.ico']);
  });

  it.each<[string, string, string, Pages]>([
    [
      'a drawing, which cannot run where it is opened',
      '/a.svg?v=2',
      'image/svg+xml',
      {
        '/': page('<link rel=icon href=/b.png><link rel=icon href="/a.svg?v=2">'),
        '/a.svg?v=2': [200, 'text/plain', Buffer.from(`<?xml version="1.0"?>\n<!-- <a> -->\n${DRAWING}`)],
      },
    ],
    [
      'that of a home screen',
      '/touch',
      'image/png',
      { '/': page('<link rel=apple-touch-icon-precomposed href=/touch>'), '/touch': [200, '', PNG] },
    ],
    [
      'that of a home screen at its usual address',
      '/apple-touch-icon.png',
      'image/png',
      { '/apple-touch-icon.png': [200, '', PNG] },
    ],
    [
      'seen from the base of the page',
      '/assets/icon.png',
      'image/png',
      {
        '/': page('<base target=_top><base href="assets/"><base href="/other/"><link rel=icon href="icon.png">'),
        '/assets/icon.png': [200, '', PNG],
      },
    ],
    [
      'compressed, as is its page',
      '/i',
      'image/png',
      {
        '/': [200, 'text/html', gzipSync('<link rel=icon href="/i">'), 'gzip'],
        '/i': [200, '', brotliCompressSync(PNG), 'br'],
      },
    ],
    [
      'compressed as servers of others name it',
      '/i',
      'image/png',
      {
        '/': [200, 'text/html', deflateRawSync('<link rel=icon href="/i">'), 'Deflate'],
        '/i': [200, '', brotliCompressSync(gzipSync(PNG)), 'x-gzip, br'],
      },
    ],
  ])('is %s', async (_, from, type, given) => {
    pages = given;
    const { status, headers } = await fetchedIcon();
    expect([status, headers['content-type'], headers['content-security-policy']]).toEqual([
      200,
      type,
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    ]);
    expect(asked.at(-1)).toBe(from);
  });

  it.each<[string, () => Pages]>([
    ['nothing answers', () => ({})],
    [
      'it is larger than 100 KB',
      () => ({ '/favicon.ico': [200, 'image/png', Buffer.concat([PNG, Buffer.alloc(100 * 1024)])] }),
    ],
    ['it leads into a private network', () => ({ '/': page('<link rel=icon href="http://10.0.0.7/icon.png">') })],
    [
      'it grows without end where it is decompressed',
      () => ({ '/favicon.ico': [200, '', gzipSync(Buffer.concat([PNG, Buffer.alloc(100 * 1024)])), 'gzip'] }),
    ],
    ['it is not compressed as it says', () => ({ '/favicon.ico': [200, '', PNG, 'gzip'] })],
    ['it is text', () => ({ '/favicon.ico': [200, 'image/png', Buffer.from('<html>')] })],
  ])('is none where %s', async (_, given) => {
    pages = given();
    expect((await fetchedIcon()).status).toBe(204);
    expect((await fetchedIcon()).status).toBe(204);
    expect(asked.filter((each) => each === '/')).toHaveLength(1);
  });

  it('is fetched anew when it is old, stays where it is not found then, and goes a month later', async () => {
    pages = { '/favicon.ico': [200, '', PNG] };
    expect((await fetchedIcon()).status).toBe(200);
    pages = {};
    await age('8 days');
    expect((await fetchedIcon()).status).toBe(200);
    expect(asked.filter((each) => each === '/favicon.ico')).toHaveLength(2);
    await age('31 days');
    await favicons().sweep(new Date());
    expect((await icon()).status).toBe(204);
  });

  it('is not found by others', async () => {
    const stranger = await ownerWithWebsite(api);
    expect((await ask(api, path(), stranger)).body).toMatchObject({ code: 'NOT_FOUND', error: 'Website not found' });
  });
});

let api: TestApi;
let owner: Owner;
let server: Server;
let pages: Pages;
let asked: string[];

const favicons = () => api.app.get(Favicons);
const path = () => `GET /v1/websites/${owner.websiteId}/icon` as const;
const icon = () => ask(api, path(), owner);

async function fetchedIcon() {
  await icon();
  await favicons().idle();
  return icon();
}

const age = (interval: string) =>
  api.app.get<Pool>(POOL).query(`update favicons set fetched_at = now() - $1::interval`, [interval]);

beforeAll(async () => {
  server = createServer(({ url = '' }, reply) => {
    asked.push(url);
    const [status, type, body, encoding = 'identity'] = pages[url] ?? [404, 'text/plain', Buffer.from('Not here')];
    reply.writeHead(status, { 'content-type': type, 'content-encoding': encoding }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  api = await startTestApi();
  favicons().guard = { http: true, allows: (address) => address === '127.0.0.1' };
  favicons().addressOf = () => `http://127.0.0.1:${port}/`;
  owner = await ownerWithWebsite(api);
});

beforeEach(async () => {
  asked = [];
  await favicons().idle();
  await api.app.get<Pool>(POOL).query('delete from favicons');
});

afterAll(async () => {
  await api.close();
  server.closeAllConnections();
  server.close();
});
