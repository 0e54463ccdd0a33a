import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { newestStatement } from '@ledgerline/platform/event-store/head-statement';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { statedHead } from '@test/event-store/stated-head';
import { waitUntil } from '@test/wait-until';
import { migrateStore } from './migrate-store';

/** From Postgres to EventStoreDB, of which the heads of one organization were signed before. */
describe('a copy of histories on EventStoreDB', () => {
  it('is stated and remembered with what was verified, and sealed on from there without a fault', async () => {
    await move();
    const statement = (await newestStatement(scene.pool))!;
    const copy = await scene.open();
    expect(statement.sealedTo).toBe(await copy.head());
    expect(statement.heads).toMatchObject([{ organization: 'org_2', revision: 1 }]); // that of the other one stands
    const remembered = JSON.parse(await readFile(statementFile(folder), 'utf8')) as object;
    expect(remembered).toMatchObject({ number: statement.number });
    const product = await sealer();
    for (const organization of ORGANIZATIONS) {
      await scene.record(product, organization, 1);
      await scene.sealedUpTo(organization, 2);
    }
    expect(await scene.faults()).toEqual({});
  });

  it('is not sealed on where its seals were deleted before the product starts', async () => {
    await move();
    scene.double.log.delete('ledgerline-seals_org_2');
    const product = await sealer();
    await scene.record(product, 'org_2', 1);
    const faults = await waitUntil(
      () => scene.faults(),
      (found) => 'org_2' in found,
    );
    expect(faults).toEqual({ org_2: 'Its seals are missing; places 0 to 1 were sealed.' });
    expect(await statedHead(scene.pool, 'org_2')).toMatchObject({ revision: 1 });
  });
});

const ORGANIZATIONS = ['org_1', 'org_2'];

const sealer = () => scene.open({ seal: { ...sealing, database: scene.pool, statementFile: statementFile(folder) } });

async function move(): Promise<void> {
  const { databaseUrl } = scene;
  const store = await openEventStore({ databaseUrl, auditSigningKey: sealing.key });
  const { signing, close } = await openSigning(databaseUrl, { ...sealing, dataDir: folder });
  for (const organization of ORGANIZATIONS) {
    await appended(store, freshStream(organization), 'no-stream', [event(), event()]);
    if (organization === 'org_1') await signing.sign();
  }
  await Promise.all([close(), store.close()]);
  const installation = { databaseUrl, signingKey: sealing.key, statementFile: statementFile(folder), isRunning: false };
  const direction = { from: 'postgres', to: 'eventstoredb' } as const;
  const closed = { ...installation, close: () => Promise.resolve() };
  await migrateStore(direction, closed, scene.double.url, () => undefined);
}

let scene: SealingScene;
let folder: string;

beforeEach(async () => {
  scene = await SealingScene.start();
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-copy-'));
});
afterEach(async () => {
  await scene.stop();
  rmSync(folder, { recursive: true });
});
