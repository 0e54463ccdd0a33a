import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { appended, event, freshOrganization, sealing } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { audit } from './audit';

describe('npm run audit, while EventStoreDB fills no category streams', () => {
  it('exports a history that is proven, with what was recorded since then', async () => {
    const text = await run('export', '--organization', organization);
    expect(text.trim().split('\n').length).toBeGreaterThan(5); // the head, and five events with the export's own
    writeFileSync(file('keys.pem'), await run('public-keys'));
    writeFileSync(file('export.ndjson'), text);
    const verdict = await run('verify', file('export.ndjson'), '--public-key', file('keys.pem'));
    expect(verdict).toMatch(/^VALID/);
  });

  it('says that nothing has to be sealed again', async () => {
    const reseal = run('reseal', '--organization', organization, '--reason', 'x');
    await expect(reseal).rejects.toThrow('There is nothing to decide');
  });
});

async function run(...args: string[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const addresses = { databaseUrl: scene.databaseUrl, eventStoreUrl: scene.double.url };
  const installation = { ...addresses, signingKey: sealing.key, isRunning: false };
  await audit(args, { open: () => Promise.resolve({ ...installation, close: () => Promise.resolve() }), output });
  return String(output.read());
}

const file = (name: string) => join(folder, name);
let folder: string;
let scene: SealingScene;
let organization: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-audit-'));
  scene = await SealingScene.start();
  organization = freshOrganization();
  const store = await scene.sealer(true);
  await appended(store, RECORD_KINDS.organizations.stream({ id: organization }), 'no-stream', [
    event({}, { type: 'OrganizationCreated' }),
  ]);
  await scene.record(store, organization, 1);
  await scene.sealedUpTo(organization, 1);
  scene.double.log.projection = 'Faulted';
  await scene.record(store, organization, 2);
  await waitUntil(
    () => verifyChain(store, organization),
    ({ events, unsealed }) => events === 4 && unsealed === 0,
  );
});
afterEach(async () => {
  await scene.stop();
  rmSync(folder, { recursive: true, force: true });
});
