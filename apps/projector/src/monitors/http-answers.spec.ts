import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { brotliCompressSync, constants, createBrotliCompress, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { startHttpServer } from '@test/monitors/http-server';
import { startHttpsServer } from '@test/outbound/https-server';
import { checkAddress, type GivenSettings } from './http-check';

describe('a check of a name with several addresses', () => {
  it.each([
    ['the first one refuses', ['127.0.0.9', '127.0.0.1'], '127.0.0.1'],
    ['only that of IPv6 answers', ['127.0.0.9', '127.0.0.1', '::1'], '::1'],
    ['only that of IPv4 answers', ['::1', '127.0.0.1'], '127.0.0.1'],
  ])('is up when %s', async (_, addresses, alive) => {
    const port = await listening((socket) => socket.end(answer('well')), alive);
    expect(await check(`http://many.example:${port}/`, {}, addresses)).toMatchObject(UP);
  });

  it('is up when the first one takes no connection', async () => {
    const port = await listening((socket) => socket.end(answer('well')));
    await listeningDeaf('127.0.0.3', port);
    const result = await check(`http://many.example:${port}/`, { timeoutSeconds: 5 }, ['127.0.0.3', '127.0.0.1']);
    expect(result).toMatchObject(UP);
  });

  it('is not made when one of them is not allowed', async () => {
    const port = await listening((socket) => socket.end(answer('well')));
    const guard = {
      resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.9']),
      allows: (ip: string) => ip !== '127.0.0.9',
    };
    const result = await checkAddress({ ...PLAIN, url: `http://many.example:${port}/` }, guard, NEVER);
    expect(result).toMatchObject({ failure: 'address', detail: 'many.example must have public addresses only.' });
  });
});

describe('a check takes what browsers take:', () => {
  it.each([
    ['100 Continue first', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 Early Hints first', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n'],
    [
      'both, more than once',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    ],
  ])('%s', async (_, before) => {
    const port = await listening((socket) => socket.end(before + answer('well')));
    expect(await check(`http://127.0.0.1:${port}/`, { expectedText: 'well' })).toMatchObject(UP);
  });

  it.each([
    ['long headers', answer('well', `set-cookie: a=${'x'.repeat(60_000)}`, `link: ${'y'.repeat(120_000)}`)],
    ['an answer of HTTP/1.0 without a length', 'HTTP/1.0 200 OK\r\n\r\nwell'],
    ['a header in UTF-8', answer('well', 'x-name: Grüße 漢字')],
    ['lines that end without CR', answer('well').replace(/\r/g, '')],
  ])('%s', async (_, bytes) => {
    const port = await listening((socket) => socket.end(bytes));
    expect(await check(`http://127.0.0.1:${port}/`, { expectedText: 'well' })).toMatchObject(UP);
  });

  const body = Buffer.from(`<p>${'all '.repeat(5_000)}is wöll</p>`);
  it.each<[string, Buffer]>([
    ['gzip', gzipSync(body)],
    ['X-GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', body],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
    ['gzip', Buffer.concat([gzipSync(body).subarray(0, -8)])],
  ])('a body with the encoding %s', async (encoding, bytes) => {
    const { url } = await serving((_, reply) => reply.writeHead(200, { 'content-encoding': encoding }).end(bytes));
    expect(await check(url, { expectedText: 'is wöll' })).toMatchObject(UP);
    expect(await check(url, { expectedText: 'is ill' })).toMatchObject({ failure: 'text' });
    expect(await check(url, { unwantedText: 'is wöll' })).toMatchObject({ failure: 'text', up: false });
  });

  it.each<[string, Buffer, string]>([
    ['text/html; charset=ISO-8859-1', Buffer.from('all is wöll', 'latin1'), 'wöll'],
    ['text/plain; charset="Shift_JIS"', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['text/html', Buffer.from('<meta charset="windows-1252"> wöll', 'latin1'), 'wöll'],
    ['text/html', Buffer.from('<meta http-equiv=x content="text/html; charset=latin1"> wöll', 'latin1'), 'wöll'],
    ['text/xml', Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>wöll</a>', 'latin1'), 'wöll'],
    ['text/plain; charset=latin1', Buffer.from('\uFEFFwöll'), 'wöll'],
    ['text/plain', Buffer.from('\uFEFFwöll', 'utf16le'), 'wöll'],
    ['text/plain; charset=nonsense', Buffer.from('wöll'), 'wöll'],
  ])('the charset that is named, as of %s', async (type, bytes, text) => {
    const { url } = await serving((_, reply) => {
      reply.writeHead(200, { 'content-type': type });
      for (const byte of bytes) reply.write(Buffer.of(byte));
      reply.end();
    });
    expect(await check(url, { expectedText: text })).toMatchObject(UP);
  });

  it('a Location in raw UTF-8, or in Latin-1', async () => {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const asked: string[] = [];
      const port = await listening((socket, path) => {
        asked.push(path);
        const moved = answer('', 'location: /grüße?a=ö').replace('200 OK', '302 Found');
        socket.end(path === '/' ? Buffer.from(moved, encoding) : answer('well'));
      });
      expect(await check(`http://127.0.0.1:${port}/`)).toMatchObject(UP);
      expect(asked).toEqual(['/', '/gr%C3%BC%C3%9Fe?a=%C3%B6']);
    }
  });

  it('a server that sets cookies and wants them back', async () => {
    const { url, requests } = await serving((request, reply) => {
      const isKnown = /session=1/.test(request.headers.cookie ?? '');
      if (isKnown) reply.end('well');
      else
        reply
          .writeHead(302, { location: '/', 'set-cookie': ['session=1; Path=/', 'old=1; Max-Age=0', 'b=2; Secure'] })
          .end();
    });
    expect(await check(url, { headers: { Cookie: 'own=3' } })).toMatchObject(UP);
    expect(requests.map(({ headers }) => headers.cookie)).toEqual(['own=3', 'own=3; session=1']);
  });
});

describe('a check that fails', () => {
  it.each([
    ['an answer that is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'connection', /no HTTP/],
    ['nothing', '', 'connection', /closed the connection/],
    ['a status', answer('').replace('200 OK', '503 No'), 'status', /^The status was 503, not 200 to 299\.$/],
    ['an unknown encoding', answer('x', 'content-encoding: snappy'), 'text', /encoded as snappy/],
    ['a wrong encoding', answer('x'.repeat(50), 'content-encoding: gzip'), 'text', /not encoded as it says \(gzip\)/],
    ['another text', answer('x'), 'text', /does not hold the expected text/],
    ['a redirect to nowhere', answer('', 'location: ftp://a/').replace('200 OK', '301 M'), 'redirects', /no http\(s\)/],
    ['headers without end', answer('x', `a: ${'x'.repeat(400_000)}`), 'connection', /longer than 256 KiB/],
  ])('says what happened: %s', async (_, bytes, failure, detail) => {
    const port = await listening((socket) => socket.end(bytes));
    const result = await check(`http://127.0.0.1:${port}/`, { expectedText: 'well' });
    expect(result).toMatchObject({ up: false, failure, detail: expect.stringMatching(detail) as string });
  });

  it('says what is wrong with a certificate, and with what is none', async () => {
    const https = await startHttpsServer(['other.example'], (_, reply) => reply.end('well'));
    closing.push(https.close);
    const guard = { allows: () => true, resolve: () => Promise.resolve(['127.0.0.1']) };
    const at = (host: string) => ({ ...PLAIN, url: `https://${host}:${https.port}/` });
    const other = await checkAddress(at('shop.example'), { ...guard, ca: https.ca }, NEVER);
    expect(other).toMatchObject({ failure: 'tls', detail: 'The certificate is not one for shop.example.' });
    expect(await checkAddress(at('other.example'), { ...guard, ca: https.ca }, NEVER)).toMatchObject(UP);
    const untrusted = await checkAddress(at('other.example'), guard, NEVER);
    expect(untrusted).toMatchObject({ failure: 'tls', detail: expect.stringContaining('not trusted') as string });
    const plain = await serving((_, reply) => reply.end());
    expect(await check(plain.url.replace('http:', 'https:'))).toMatchObject({
      failure: 'tls',
      detail: 'The server does not speak TLS at this port.',
    });
  });

  it('reads no more of a small body that becomes large', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    const { url } = await serving((_, reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect(await check(url, { expectedText: 'well' })).toMatchObject({ up: false, failure: 'text' });
  });
});

describe('a body that ends nowhere', () => {
  /** Empty blocks of deflate. */
  const BLOCKS = Buffer.from('000000ffff'.repeat(20_000), 'hex');
  const GZIP_HEAD = gzipSync('').subarray(0, 10);

  it.each(['identity', 'gzip', 'gzip, br'])('is read in part: %s', async (encoding) => {
    const { url } = await serving((_, reply) => {
      reply.writeHead(200, { 'content-encoding': encoding });
      const brotli = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
      if (encoding === 'gzip, br') brotli.pipe(reply);
      const out: Writable = encoding === 'gzip, br' ? brotli : reply;
      const more = () => void (reply.destroyed || out.write(BLOCKS, more));
      out.write(GZIP_HEAD, more);
    });
    for (const [texts, failure] of [
      [{ expectedText: 'well' }, 'text'],
      [{ unwantedText: 'well' }, null],
    ] as const)
      expect((await check(url, texts)).failure).toBe(failure);
  });

  it('is not encoded as often as a server likes', async () => {
    const { url } = await serving((_, reply) =>
      reply.writeHead(200, { 'content-encoding': Array(4).fill('gzip').join() }).end('x'),
    );
    const detail = 'The body is encoded more than 3 times.';
    expect(await check(url, { expectedText: 'well' })).toMatchObject({ failure: 'text', detail });
  });
});

it('asks at no other port than 0, where nothing listens', async () => {
  const { url } = await serving((_, reply) => reply.end());
  expect(await check(url.replace(/:\d+/, ':0'))).toMatchObject({ up: false, failure: 'connection' });
});

it('sends the User-Agent of its monitor instead of its own, in any case', async () => {
  const { url, requests } = await serving((_, reply) => reply.end());
  for (const name of ['User-Agent', 'user-agent', 'USER-AGENT']) await check(url, { headers: { [name]: 'Mine/1' } });
  await check(url);
  const sent = requests.map(({ rawHeaders }) =>
    rawHeaders.filter((_, n) => /user-agent/i.test(rawHeaders[n - 1] ?? '')),
  );
  expect(sent).toEqual([['Mine/1'], ['Mine/1'], ['Mine/1'], ['Ledgerline-Monitor/1.0']]);
});

const UP = { up: true, status: 200, failure: null };
const NEVER = new AbortController().signal;
const PLAIN = { method: 'GET', timeoutSeconds: 10, expectedStatus: null, expectedText: null, headers: {} } as const;

function answer(body: string, ...headers: readonly string[]): string {
  return ['HTTP/1.1 200 OK', `content-length: ${body.length}`, ...headers, '', body].join('\r\n');
}

const check = (url: string, more: Partial<GivenSettings> = {}, addresses = ['127.0.0.1']) =>
  checkAddress({ ...PLAIN, url, ...more }, { allows: () => true, resolve: () => Promise.resolve(addresses) }, NEVER);

const closing: (() => unknown)[] = [];

/** The port of a server that answers bytes of its own to the first bytes of each connection. */
async function listening(respond: (socket: Socket, path: string) => void, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', (bytes) => respond(socket, bytes.toString('latin1').split(' ')[1] ?? ''));
  }).listen(0, host);
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** An address whose queue of connections is full, and is never taken from. */
async function listeningDeaf(host: string, port: number): Promise<void> {
  const code = `require('node:net').createServer().listen({ host: '${host}', port: ${port}, backlog: 1 }, () => console.log())`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const filling = Array.from({ length: 4 }, () => connect({ host, port }).on('error', () => undefined));
  await Promise.all(filling.slice(0, 2).map((socket) => once(socket, 'connect')));
  closing.push(() => {
    for (const socket of filling) socket.destroy();
    child.kill('SIGKILL');
  });
}

async function serving(...parameters: Parameters<typeof startHttpServer>) {
  const server = await startHttpServer(...parameters);
  closing.push(server.close);
  return server;
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
