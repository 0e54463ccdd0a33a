import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { runInNewContext } from 'node:vm';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';
import { documentAt } from './documents';

const { text } = documentAt('docs/browser-script.md');

/** Hands on what the script sends, without what else browsers send to the own host. */
describe('a proxy for the own address', () => {
  onDebian('nginx', '/usr/sbin/nginx', async (program) => {
    const port = await freePort();
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${each};`);
    await askServer(
      port,
      `daemon off; master_process off; pid pid; error_log stderr; events {}
       http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; ${recipe('nginx')} } }`,
      (folder, file) => spawn(program, ['-p', folder, '-c', file], { stdio: 'ignore' }),
    );
  });

  onDebian('caddy', '/usr/bin/caddy', async (program) => {
    const port = await freePort();
    await askServer(
      port,
      `{\n admin off\n auto_https off\n}\nhttp://127.0.0.1:${port} {\n${recipe('Caddy')}}\n`,
      (HOME, file) =>
        spawn(program, ['run', '--adapter', 'caddyfile', '--config', file], { env: { HOME }, stdio: 'ignore' }),
    );
  });

  it('is a Worker of Cloudflare', async () => {
    const code = recipe('Worker').replace('export default', 'worker =');
    const worker = runInNewContext(code, { URL, Request, fetch }) as { fetch(request: Request): Promise<Response> };
    await askFor((path, { headers, ...init }) =>
      worker.fetch(new Request(SITE + path, { ...init, headers: { ...headers, 'cf-connecting-ip': '127.0.0.1' } })),
    );
  });

  it('is a rewrite of Next.js', async () => {
    const rewrite = (url: string, { request }: { request: RequestInit }) => ({ url, ...request });
    const code = recipe('Next.js').replace(/^import .*$|^export /gm, '');
    const proxy = runInNewContext(`${code}; proxy`, { Headers, NextResponse: { rewrite } }) as Rewrite;
    await askFor((path, { headers, ...init }) => {
      const sent = new Headers({ ...headers, 'x-forwarded-for': '127.0.0.1' });
      const rewritten = proxy({ nextUrl: new URL(SITE + path), headers: sent });
      return fetch(rewritten.url, { ...init, headers: rewritten.headers });
    });
  });
});

type Rewrite = (request: { nextUrl: URL; headers: Headers }) => { url: string; headers: Headers };
interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Send = (path: string, sent: Sent) => Promise<Response>;

/** Runs the test with a program of Debian's packages, or says loudly which one is not installed. */
function onDebian(name: string, program: string, test: (program: string) => Promise<void>): void {
  if (existsSync(program)) it(`is ${name}`, () => test(program));
  else it.skip(`${name}: SKIPPED, as Debian's package ${name} is not installed`, () => undefined);
}

/** The block of code after the first sentence that names it, with a tracking host of this spec. */
function recipe(name: string): string {
  const [, code = ''] =
    new RegExp(`^[^\\n]*\\b${name}\\b[^\\n]*:\\n\\n\`\`\`\\w*\\n(.*?)\`\`\``, 'ms').exec(text) ?? [];
  expect(code).toContain('https://TRACKING-HOST');
  return code.replaceAll('https://TRACKING-HOST', `http://${trackingHost()}`);
}

async function askServer(port: number, config: string, start: (folder: string, file: string) => ChildProcess) {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const file = join(folder, 'config');
  writeFileSync(file, config);
  const server = start(folder, file);
  const gone = once(server, 'exit');
  const address = `http://127.0.0.1:${port}`;
  try {
    await waitUntil(
      () =>
        fetch(address)
          .then(() => true)
          .catch(() => false),
      undefined,
      10_000,
    );
    await askFor((path, init) => fetch(address + path, init));
  } finally {
    server.kill('SIGKILL');
    await gone;
  }
}

const SITE = 'https://shop.example.com';

async function askFor(send: Send): Promise<void> {
  const secret = { cookie: 'session=secret', authorization: 'Basic c2VjcmV0' };
  const headers = { ...secret, origin: SITE, 'content-type': 'text/plain' };
  await send('/stats/app.js?v=2', { headers });
  await send('/stats/batch?client_id=site_1&sent_at=5', { method: 'POST', body: '[{}]', headers });
  const handedOn = { origin: SITE, 'content-type': 'text/plain', 'x-forwarded-for': '127.0.0.1', host: trackingHost() };
  expect(received).toEqual([
    { url: '/tracker.js?v=2', body: '', headers: handedOn },
    { url: '/batch?client_id=site_1&sent_at=5', body: '[{}]', headers: handedOn },
  ]);
}

let server: Server;
let received: object[];

const trackingHost = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

const READ = ['cookie', 'authorization', 'origin', 'content-type', 'x-forwarded-for', 'host'];

beforeAll(async () => {
  server = createServer((request, reply) => {
    void readText(request).then((body) => {
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => READ.includes(name)));
      received.push({ url: request.url, body, headers });
      reply.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => void (received = []));

afterAll(() => {
  server.closeAllConnections();
  server.close();
});
