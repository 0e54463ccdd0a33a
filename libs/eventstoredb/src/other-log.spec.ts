import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { EpochChanged } from '@ledgerline/platform/log/log-reader';
import { SealingScene } from '@test/event-store/eventstoredb-double/sealing-scene';
import { StoredLog } from '@test/event-store/eventstoredb-double/stored-log';
import { freshOrganization, signedBy } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';

/** Where no position of the first log begins an event. */
const ELSEWHERE = 133;

describe('a log whose place another one took for a while', () => {
  let scene: SealingScene;

  beforeEach(async () => {
    scene = await SealingScene.start();
  });
  afterEach(() => scene.stop());

  it('is sealed on as soon as it is back', async () => {
    const organization = freshOrganization();
    const stranger = freshOrganization();
    const store = await scene.sealer();
    for (let n = 0; n < 4; n += 1) await scene.record(store, organization, 2);
    await scene.sealedUpTo(organization, 7);
    const right = scene.double.log;
    scene.double.restore(new StoredLog(ELSEWHERE));
    await scene.record(store, stranger, 1);
    await scene.sealedUpTo(stranger, 0);
    scene.double.restore(right);
    await scene.record(store, organization, 1);
    await scene.sealedUpTo(organization, 8);
    await waitUntil(
      () => scene.faults(),
      (faults) => Object.keys(faults).join() === stranger,
    );
    expect(await verifyChain(store, organization, { signedBy })).toMatchObject({ valid: true, events: 9 });
  });

  it('refuses a position of the other one as one that it never had', async () => {
    const store = await scene.open();
    await scene.record(store, freshOrganization(), 4);
    const { next, digest } = await store.read(0, '', { max: 2 });
    scene.double.restore(new StoredLog(ELSEWHERE));
    await scene.record(store, freshOrganization(), 9);
    for (const known of [undefined, digest])
      await expect(store.read(0, next, { max: 1, digest: known })).rejects.toBeInstanceOf(EpochChanged);
  });
});
