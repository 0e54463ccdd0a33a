import { keepSealedHead } from '@test/event-store/keep-sealed-head';
import { sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { SigningScene } from '@test/event-store/signing-scene';
import { rewriteHistory } from '@test/journeys/rewrite-history';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { waitUntil } from '@test/wait-until';
import { readStoredPublicKeys } from './head-signer';
import { signHead, statementHash, verifySignature, verifySignedHead } from './head-statement';

describe('the heads of hash chains in Postgres', () => {
  it('are signed once for all organizations that grew, in a chain of statements', async () => {
    await scene.decided('org_1', 'org_2', 'org_2');
    await scene.sign();
    await scene.sign();
    await scene.decided('org_2');
    await scene.sign();
    const [first, second] = await scene.statements();
    expect(await scene.heads()).toEqual([['org_1 0', 'org_2 1'], ['org_2 2']]);
    expect(second).toMatchObject({ number: 2, previous: statementHash(first!) });
    const keys = await readStoredPublicKeys(scene.pool);
    expect([first!, second!].map((statement) => verifySignature(statement, keys))).toEqual(['valid', 'valid']);
    const head = await scene.signer.signedHead('org_2');
    expect([head?.revision, verifySignedHead(head!, keys)]).toEqual([2, 'valid']);
  });

  it('are signed within a second of an append, also by several processes at once', async () => {
    const others = await Promise.all(
      [1, 2].map(() => openSigning(scene.database.url, { ...sealing, dataDir: temporaryFolder('signing') })),
    );
    for (const { signing } of others) signing.start();
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => scene.decided(`org_${n % 3}`, `org_${n}`)));
    await waitUntil(
      () => Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => isSigned(`org_${n}`))),
      (all) => all.every(Boolean),
    );
    for (const { close } of others) await close();
    const all = await scene.statements();
    for (const [at, statement] of all.slice(1).entries())
      expect(statement).toMatchObject({ number: at + 2, previous: statementHash(all[at]!) });
    const signed = (await scene.heads()).flat();
    expect(new Set(signed).size).toBe(signed.length);
    expect(await scene.faults()).toEqual({});
  });

  it('are not signed for the first time where the chain itself does not hold', async () => {
    await scene.decided('org_1', 'org_1', 'org_1', 'org_2');
    await rewriteHistory(scene.database.url, 'org_1', 1, 1);
    await scene.sign();
    expect(await scene.heads()).toEqual([['org_2 0']]);
    expect(await scene.faults()).toEqual({ org_1: 'Place 1 of its history is not what its hash says.' });
  });

  it('have to continue what a sealer has signed on EventStoreDB before', async () => {
    await scene.decided('org_1', 'org_1');
    const head = { revision: 0, hash: 'a'.repeat(64) };
    await keepSealedHead(scene.pool, signHead(sealing.key, 'org_1', head, new Date()));
    await scene.sign();
    expect(await scene.faults()).toEqual({ org_1: expect.stringContaining('place 0 has another hash') as string });
    expect(await scene.statements()).toEqual([]);
  });

  it('are signed whatever stands in the table of sealers, where no key of the installation signed it', async () => {
    await scene.decided('org_1');
    const forged = signHead(sealing.key, 'org_1', { revision: 7, hash: 'a'.repeat(64) }, new Date());
    await keepSealedHead(scene.pool, { ...forged, signature: 'AAAA' });
    await scene.sign();
    expect(await scene.heads()).toEqual([['org_1 0']]);
    expect(await scene.faults()).toEqual({});
  });

  it('are refused where a history is gone as a whole', async () => {
    await scene.decided('org_1', 'org_2');
    await scene.sign();
    await scene.pool.query(`delete from organization_chains where organization = 'org_1'`);
    await scene.pool.query(`delete from events where organization = 'org_1'`);
    await scene.reopen();
    await scene.decided('org_2');
    await scene.sign();
    expect(await scene.faults()).toEqual({
      org_1: 'Its history ends before the first place; places 0 to 0 were signed.',
    });
    expect((await scene.heads()).at(-1)).toEqual(['org_2 1']);
  });
});

async function isSigned(organization: string): Promise<boolean> {
  const signed = await scene.signer.signedHead(organization);
  const head = await scene.store.chainHead(organization);
  return head === null || signed?.hash === head.hash;
}

let scene: SigningScene;

beforeEach(async () => {
  scene = await SigningScene.open();
});
afterEach(() => scene.close());
