import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newWebhookSecret, sendWebhook } from '@ledgerline/platform/outbound/webhook';
import { freePort } from '../network/free-port';
import { waitUntil } from '../wait-until';
import { documentAt } from './documents';

const RUNTIMES = [
  ['js', process.execPath],
  ['python', 'python3'],
] as const;

describe.each(RUNTIMES)('the receiver of docs/notifications.md in %s', (language, program) => {
  const has = spawnSync(program, ['--version']).status === 0;
  if (!has) console.warn(`SKIPPED: there is no ${program}, so the receiver in ${language} was not tried.`);

  (has ? it : it.skip)('takes what is signed, once, and nothing else', async () => {
    const secret = newWebhookSecret();
    const send = async (id: string, by: string) => {
      const target = { url: `http://127.0.0.1:${port}/`, headers: {}, secrets: [{ secret: by }] };
      const message = { id, contentType: 'application/json', body: JSON.stringify({ type: 'tag.created' }) };
      const settings = { destinationAllow: ['127.0.0.0/8'] };
      return (await sendWebhook(target, message, settings, new AbortController().signal)).status;
    };
    await start(language, program, secret);
    await waitUntil(async () => (await send('msg_1', secret)) === 204);
    expect(await send('msg_1', secret)).toBe(204);
    expect(await send('msg_2', secret)).toBe(204);
    expect(await send('msg_3', newWebhookSecret())).toBe(401);
    await waitUntil(() => output.split('\n').length > 2);
    expect(output).toBe('tag.created\ntag.created\n');
  });
});

let folder: string;
let receiver: ChildProcess | undefined;
let port: number;
let output: string;

async function start(language: string, program: string, secret: string): Promise<void> {
  const code = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(documentAt('docs/notifications.md').text)?.[1] ?? '';
  expect(code.split('\n').filter(Boolean).length).toBeLessThanOrEqual(20);
  const file = join(folder, language === 'js' ? 'receiver.mjs' : 'receiver.py');
  await writeFile(file, code);
  receiver = spawn(program, [file], { env: { ...process.env, SECRET: secret, PORT: String(port) }, stdio: 'pipe' });
  receiver.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
}

beforeEach(async () => {
  output = '';
  port = await freePort();
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-receiver-'));
});

afterEach(async () => {
  receiver?.kill();
  await rm(folder, { recursive: true });
});
