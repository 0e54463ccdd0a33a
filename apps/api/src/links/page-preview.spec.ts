import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { parseHead } from '@ledgerline/platform/outbound/page-head';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { pageTexts, PreviewPageHandler } from './page-preview.query';

describe('the texts of a page', () => {
  it.each([
    ['<title> Spring &amp;\n sale </title>', 'Spring & sale', null],
    [
      '<title>A</title><meta property="og:title" content="B&#39;s &#x2013; &ndash; &unknown;">',
      "B's – – &unknown;",
      null,
    ],
    [`<meta content='It says "x"' name=Description><title lang="de">A</title>`, 'A', 'It says "x"'],
    ['<meta name="description" content="plain"><meta property="og:description" content="card">', null, 'card'],
    ['<!-- <title>no</title> --><script>"<title>no</title>"</script><title>yes</title>', 'yes', null],
    ['<head></head><body><svg><title>no</title></svg></body>', null, null],
    ['<title></title>', null, null],
    ['<title>\u2066Sale\u2069 \u202egpj.exe</title>', 'Sale gpj.exe', null],
    [`<title>${'ä'.repeat(300)}</title>`, 'ä'.repeat(255), null],
    ['&#0;&#x110000;', null, null],
  ])('of %s', (html, title, description) => expect(pageTexts(parseHead(html))).toEqual({ title, description }));

  it('takes a hostile page in a moment', () => {
    for (const html of ['<meta '.repeat(50_000), '<!--'.repeat(100_000), `<title ${'='.repeat(400_000)}`])
      expect(pageTexts(parseHead(html))).toEqual({ title: null, description: null });
  });
});

describe('GET /v1/links/preview', () => {
  it.each(['/moved', '/gzip', '/br'])('reads a page after redirects, in its charset and encoding: %s', async (path) => {
    expect(await preview(path)).toEqual({ success: true, title: 'Frühling', description: 'Alles muss raus' });
  });

  it.each(['/missing', '/picture', '/loop', '/hangs', '/private', '/endless'])('finds nothing in %s', async (path) => {
    expect(await preview(path)).toEqual({ success: true, title: null, description: null });
  });

  it('names what is wrong', async () => {
    const { status, body } = await ask(
      api,
      `GET /v1/links/preview?organizationId=${owner.organizationId}&url=ftp://x`,
      owner,
    );
    expect([status, body.details]).toEqual([400, [{ field: 'url', message: 'url must be an http(s) address.' }]]);
  });
});

let api: TestApi;
let owner: Owner;
let server: Server;
let base: string;

const preview = async (path: string): Promise<unknown> => {
  const url = encodeURIComponent(base + path);
  return (await ask(api, `GET /v1/links/preview?organizationId=${owner.organizationId}&url=${url}`, owner)).body;
};

const PAGE = '<title>Fr\xfchling</title><meta name="description" content="Alles muss raus">';

beforeAll(async () => {
  server = createServer((request, reply) => {
    const path = request.url ?? '';
    const html = { 'content-type': 'text/html; charset=iso-8859-1' };
    if (path === '/moved') reply.writeHead(302, { location: '/page' }).end();
    else if (path === '/loop') reply.writeHead(302, { location: '/loop' }).end();
    else if (path === '/private') reply.writeHead(302, { location: 'http://10.0.0.7/' }).end();
    else if (path === '/page') reply.writeHead(200, html).end(Buffer.from(PAGE, 'latin1'));
    else if (path === '/gzip' || path === '/br') {
      const compress = path === '/br' ? brotliCompressSync : gzipSync;
      reply.writeHead(200, { ...html, 'content-encoding': path.slice(1) }).end(compress(Buffer.from(PAGE, 'latin1')));
    } else if (path === '/picture') reply.writeHead(200, { 'content-type': 'image/png' }).end(PAGE);
    else if (path === '/endless') {
      reply.writeHead(200, html);
      const timer = setInterval(() => reply.write(' '.repeat(100_000)), 1);
      reply.on('close', () => clearInterval(timer));
    } else if (path !== '/hangs') reply.writeHead(404, html).end(PAGE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  api = await startTestApi();
  api.app.get(PreviewPageHandler).guard = { http: true, allows: (address) => address === '127.0.0.1' };
  owner = await ownerWithWebsite(api);
});

afterAll(async () => {
  await api.close();
  server.closeAllConnections();
  server.close();
});
