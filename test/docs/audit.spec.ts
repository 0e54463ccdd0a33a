import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { audit } from '../../scripts/audit/audit';
import { ask } from '../api/ask';
import { colleague, newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text: document } = documentAt('docs/audit.md');
const blocks = [...document.matchAll(/```(sh|json|)\n(.*?)```/gs)].map(([, kind, shown]) => ({ kind, shown: shown! }));

/** Each command, with what the document shows of its output. */
const steps = blocks.flatMap(({ kind, shown }, at) => {
  const commands = kind === 'sh' ? commandsIn(shown) : [];
  const next = blocks[at + 1];
  return commands.map((command, n) => ({ command, output: n === commands.length - 1 ? next : undefined }));
});

describe('docs/audit.md', () => {
  it('leads from the audit log to a proof, to what breaks it, and to erasures', async () => {
    expect(steps.length).toBeGreaterThan(12);
    for (const { command, output } of steps) {
      // a member whom the examples before do not count
      if (command.includes('$PERSON')) shell.set('PERSON', (await colleague(api, owner, 'member')).id);
      const said = await run(command);
      if (output?.kind === 'json') expect(JSON.parse(said)).toMatchObject(JSON.parse(output.shown) as object);
      if (output?.kind === '') expect(said).toMatch(patternOf(output.shown));
    }
  });
});

/** `…` stands for anything. */
const patternOf = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*')}$`,
  );

async function run(line: string): Promise<string> {
  const [, command = '', file] = /^(.*?)(?: > (\S+))?$/.exec(line) ?? [];
  const said = await outputOf(command);
  if (file !== undefined) writeFileSync(join(folder, file), said);
  return said;
}

async function outputOf(command: string): Promise<string> {
  if (command.startsWith('npm run ')) return tool(command.replace(/^npm run (--silent )?audit -- /, '').split(' '));
  const [, from, to, file] = /^sed 's\/(.*)\/(.*)\/' (\S+)$/.exec(command) ?? [];
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').replace(from!, to!);
  const answer = await shell.run(command);
  if (answer && answer.status >= 400) throw new Error(`${command}\nwas refused: ${answer.text}`);
  return answer?.text ?? '';
}

/** The tool, with files of the folder. */
async function tool(args: readonly string[]): Promise<string> {
  const output = new PassThrough();
  const said = text(output);
  const { databaseUrl, auditSigningKey: signingKey } = api.settings;
  const close = () => Promise.resolve();
  const open = () => Promise.resolve({ databaseUrl, signingKey, isRunning: true, close });
  await audit(
    args.map((arg) => (/\.\w+$/.test(arg) ? join(folder, arg) : arg)),
    { open, output },
  );
  output.end();
  return (await said).replaceAll(`${folder}/`, '');
}

let api: TestApi;
let owner: Owner;
let shell: Shell;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-audit-'));
  api = await startTestApi();
  await api.signHeads();
  owner = await ownerWithWebsite(api);
  await api.app.get(ProfileKeys).obtain(owner.websiteId, 'ann@example.com');
  shell = new Shell({});
  shell.set('API', await api.app.getUrl());
  shell.set('ORGANIZATION', owner.organizationId);
  shell.set('WEBSITE', owner.websiteId);
  shell.set('EMAIL', owner.email);
  shell.set('PASSWORD', 'correct horse battery');
  shell.set('KEY', await changes(owner));
  writeFileSync(join(folder, 'keys.pem'), await tool(['public-keys']));
});

afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Returns what the document shows; answers the reviewer's key. */
async function changes(owner: Owner): Promise<string> {
  const { headers, websiteId, organizationId } = owner;
  await ask(api, `PATCH /v1/websites/${websiteId}`, { body: { name: 'Store' }, headers });
  const link = { organizationId, name: 'Sale', targetUrl: 'https://example.com/' };
  await ask(api, 'POST /v1/links', { body: link, headers });
  await newKey(api, owner, { name: 'Server', scopes: ['read:data'] });
  return newKey(api, owner, { name: 'Reviewer', scopes: ['read:audit'] });
}
