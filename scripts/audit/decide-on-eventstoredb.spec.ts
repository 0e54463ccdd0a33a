import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { keyIdOf, newestStatement } from '@ledgerline/platform/event-store/head-statement';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { appended, event, sealing } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { AuditVerification } from '../../apps/api/src/audit/verify-audit-log.query';
import { audit } from './audit';

const NO_WATCH = { faultOf: () => Promise.resolve(undefined), overdueBefore: () => undefined };
const ORGANIZATIONS = ['org_1', 'org_2'] as const;

describe('npm run audit, on EventStoreDB', () => {
  it('reseal records nothing where nothing can be sealed', async () => {
    const { double } = scene;
    await sealedOnce();
    const count = () => double.log.all.filter(({ stream }) => stream.startsWith('org_1-')).length;
    const before = count();
    const reseal = () => run('reseal', '--organization', 'org_1', '--reason', 'x');
    double.log.projection = 'Faulted';
    double.log.delete('ledgerline-seals_org_1');
    await expect(reseal()).rejects.toThrow('does not run its projection $by_category (Faulted)');
    double.log.projection = 'Running';
    hide('$ce-org_1');
    await expect(reseal()).rejects.toThrow('No event of org_1 can be read');
    expect(count()).toBe(before);
  });

  it('reseal --all signs the histories of the product as they are, also where one has lost its seals', async () => {
    const first = await sealedOnce();
    await first.close();
    await scene.pool.query('truncate head_statements');
    await rm(statementFile(folder));
    scene.double.log.tombstone('ledgerline-seals_org_1');
    appendForeign();
    const again = await sealer();
    await waitUntil(scene.faults.bind(scene), (faults) => faults['*']?.includes('reseal --all') === true);
    expect(await run('reseal', '--all', '--reason', 'Postgres was lost.')).toBe(
      'The histories of 2 organizations are signed as they are now.\n',
    );
    for (const organization of ORGANIZATIONS) {
      await scene.record(again, organization, 1);
      await waitUntil(() => verdict(again, organization), isSealed);
      const [, resealed] = await again.readBack({ organization, limit: 2 });
      expect(resealed).toMatchObject({ type: 'AuditLogResealed', data: { reason: 'Postgres was lost.' } });
    }
    await waitUntil(scene.faults.bind(scene), (faults) => Object.keys(faults).length === 0);
    expect(await again.readBack({ organization: 'foreign', limit: 2 })).toHaveLength(1);
    await expect(run('reseal', '--all', '--reason', 'x')).rejects.toThrow('There is nothing to decide');
  });

  it('reseal --all signs the others, and names one that cannot be sealed', async () => {
    const first = await sealedOnce();
    await first.close();
    await scene.pool.query('truncate head_statements');
    await rm(statementFile(folder));
    hide('$ce-org_1');
    await expect(run('reseal', '--all', '--reason', 'x')).rejects.toThrow(
      'All but 1 are signed as they are now. No event of org_1 can be read',
    );
    const again = await sealer();
    await scene.record(again, 'org_2', 1);
    await waitUntil(() => verdict(again, 'org_2'), isSealed);
  });

  it('rotate has a new key vouch for the old one, under which seals and statements go on', async () => {
    const first = await sealedOnce();
    await first.close();
    const { privateKey: next } = generateKeyPairSync('ed25519');
    const file = join(folder, 'new-key');
    writeFileSync(file, next.export({ format: 'pem', type: 'pkcs8' }));
    expect(await run('rotate', '--to', file)).toContain(`Key ${keyIdOf(next)} vouches for ${keyIdOf(sealing.key)}`);
    const again = await sealer(next);
    for (const organization of ORGANIZATIONS) {
      await scene.record(again, organization, 1);
      const { keyId } = await waitUntil(() => verdict(again, organization, next), isSealed);
      expect(keyId).toBe(keyIdOf(next));
    }
    expect((await newestStatement(scene.pool))?.keyId).toBe(keyIdOf(next));
    expect(await scene.faults()).toEqual({});
  });
});

const isSealed = ({ valid, unsealed }: { readonly valid: boolean; readonly unsealed: number }) =>
  valid && unsealed === 0;

const verdict = (store: EventStore, organization: string, key: KeyObject = sealing.key) =>
  new AuditVerification(store, new HeadSigner(store, scene.pool, key), NO_WATCH).verdict(organization);

const sealer = (key = sealing.key) =>
  scene.open({ seal: { ...sealing, key, ownOnly: true, database: scene.pool, statementFile: statementFile(folder) } });

/** With two organizations whose histories are sealed. */
async function sealedOnce() {
  const store = await sealer();
  for (const organization of ORGANIZATIONS) {
    const created = event({}, { type: 'OrganizationCreated' });
    await appended(store, RECORD_KINDS.organizations.stream({ id: organization }), 'no-stream', [created]);
    await scene.record(store, organization, 2);
    await scene.sealedUpTo(organization, 2);
  }
  return store;
}

/** By its metadata. */
function hide(stream: string): void {
  const rest = { id: randomUUID(), contentType: 'application/json', metadata: Buffer.from('{}') };
  scene.double.log.append(`$$${stream}`, -1, [{ ...rest, type: '$metadata', data: Buffer.from('{"$tb":1000}') }]);
}

function appendForeign(): void {
  const rest = { type: 'Foreign', contentType: 'application/json', data: Buffer.from('{}') };
  scene.double.log.append('foreign-1', -1, [{ id: randomUUID(), metadata: Buffer.from('{}'), ...rest }]);
}

async function run(...args: string[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const { databaseUrl, double } = scene;
  const parts = { databaseUrl, eventStoreUrl: double.url, signingKey: sealing.key, isRunning: false };
  const installation = { ...parts, statementFile: statementFile(folder), close: () => Promise.resolve() };
  await audit(args, { open: () => Promise.resolve(installation), output });
  return String(output.read());
}

let scene: SealingScene;
let folder: string;

beforeEach(async () => {
  scene = await SealingScene.start();
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-decide-'));
});
afterEach(async () => {
  await scene.stop();
  await rm(folder, { recursive: true });
});
