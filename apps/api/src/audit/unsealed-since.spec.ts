import type { EventStoreDbEventStore } from '@ledgerline/eventstoredb/eventstoredb-event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { readSealingProgress } from '@ledgerline/platform/event-store/sealing-progress';
import { SealingFaults } from '@ledgerline/platform/event-store/verify-chain';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { sealing } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { AuditVerification } from './verify-audit-log.query';

describe('what an EventStoreDB has unsealed for an hour', () => {
  it('is unsealed while a sealer is seen that has not come to it', async () => {
    expect(await verdict(passed, '2 seconds')).toMatchObject({ valid: true, events: 3, ...unsealed });
  });

  it('is not valid where no sealer was seen for long', async () => {
    expect(await verdict(passed, '6 minutes')).toMatchObject({ valid: false, ...unsealed, firstInvalid });
  });

  it('is not valid where it was passed', async () => {
    expect(await verdict(await watching.head(), '2 seconds')).toMatchObject({
      valid: false,
      ...unsealed,
      firstInvalid,
    });
  });
});

/** Where a sealer has passed everything up to a cursor, and was seen so long ago. */
async function verdict(cursor: string, silent: string) {
  const row = 'update sealing_progress set passed = $1, seen_at = clock_timestamp() - $2::interval';
  await scene.pool.query(row, [cursor, silent]);
  const watch = { faultOf: () => Promise.resolve(undefined), overdueBefore: () => undefined };
  const signer = new HeadSigner(watching, scene.pool, sealing.key);
  return new AuditVerification(watching, signer, watch).verdict('org_1');
}

const firstInvalid = { revision: 3, finding: 'unsealed' };

let scene: SealingScene;
/** As an api has it. */
let watching: EventStoreDbEventStore;
let passed: string;
let unsealed: { unsealed: number; unsealedSince: string };

beforeEach(async () => {
  scene = await SealingScene.start();
  watching = await scene.open({ seal: { ...sealing, database: scene.pool, watch: new SealingFaults() } });
  const sealer = await scene.sealer();
  await scene.record(sealer, 'org_1', 3);
  await scene.sealedUpTo('org_1', 2);
  ({ passed } = (await waitUntil(
    () => readSealingProgress(scene.pool),
    (progress) => progress !== undefined && progress.passed !== '',
  ))!);
  await sealer.close();
  await scene.record(watching, 'org_1', 2);
  const created = new Date(Date.now() - 3_600_000);
  scene.double.log.all = scene.double.log.all.map((stored) => ({ ...stored, created }));
  const [, oldest] = await waitUntil(
    () => watching.readBack({ organization: 'org_1', limit: 2 }),
    (page) => page.every(({ chain }) => !chain),
  );
  unsealed = { unsealed: 2, unsealedSince: oldest!.recordedAt.toISOString() };
});
afterEach(() => scene.stop());
