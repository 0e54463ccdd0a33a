import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newWebhookSecret, sendWebhook } from '@ledgerline/platform/outbound/webhook';
import { documentAt } from './documents';
import { waitUntil } from '../wait-until';

it('the receiver of docs/notifications.md takes what is signed, once, and nothing else', async () => {
  const secret = newWebhookSecret();
  const send = async (id: string, by: string) => {
    const target = { url: `http://127.0.0.1:${port}/`, headers: {}, secrets: [{ secret: by }] };
    const message = { id, contentType: 'application/json', body: JSON.stringify({ type: 'tag.created' }) };
    const settings = { destinationAllow: ['127.0.0.0/8'] };
    return (await sendWebhook(target, message, settings, new AbortController().signal)).status;
  };
  await start(secret);
  await waitUntil(async () => (await send('msg_1', secret)) === 204);
  expect(await send('msg_1', secret)).toBe(204);
  expect(await send('msg_2', secret)).toBe(204);
  expect(await send('msg_3', newWebhookSecret())).toBe(401);
  await waitUntil(() => output.split('\n').length > 2);
  expect(output).toBe('tag.created\ntag.created\n');
});

let folder: string;
let receiver: ChildProcess | undefined;
let port: number;
let output = '';

async function start(secret: string): Promise<void> {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(documentAt('docs/notifications.md').text) ?? [];
  expect(code.trim().split('\n').length).toBeLessThan(25);
  const file = join(folder, 'receiver.mjs');
  await writeFile(file, code);
  receiver = spawn(process.execPath, [file], { env: { SECRET: secret, PORT: String(port) }, stdio: 'pipe' });
  receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-receiver-'));
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  port = (free.address() as { port: number }).port;
  free.close();
});

afterEach(async () => {
  receiver?.kill();
  await rm(folder, { recursive: true });
});
