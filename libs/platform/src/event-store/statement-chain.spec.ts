import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { sealing } from '@test/event-store/laws/harness';
import { SigningScene } from '@test/event-store/signing-scene';
import { GENESIS } from './appended-events';
import { HeadSigner, addPublicKey } from './head-signer';
import { insertStatement, keyIdOf, signStatement, statementHash } from './head-statement';
import { StatementChain } from './statement-chain';
import { UNACKNOWLEDGED } from './verify-chain';

const { privateKey: nextKey } = generateKeyPairSync('ed25519');

describe('the signed statements', () => {
  it('are remembered in a file that only its owner may read, with a MAC of the key', async () => {
    await scene.decided('org_1');
    await scene.sign();
    const [first] = await scene.statements();
    expect(JSON.parse(readFileSync(scene.file, 'utf8'))).toEqual({
      number: 1,
      hash: statementHash(first!),
      signedAt: first!.signedAt,
      mac: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(statSync(scene.file).mode & 0o777).toBe(0o600);
    expect(await scene.faults()).toEqual({});
  });

  it.each<[string, (file: string) => void]>([
    ['is gone', (file) => rmSync(file)],
    ['is damaged', (file) => writeFileSync(file, '{"number":')],
    ['holds something else', (file) => writeFileSync(file, '{}')],
    ['has no MAC', (file) => rewriteMemory(file, (mark) => ({ ...mark, mac: undefined }))],
    ['was changed', (file) => rewriteMemory(file, (mark) => ({ ...mark, number: 0 }))],
  ])('are signed on where that file %s, and an operator has to acknowledge them once', async (_, change) => {
    await scene.decided('org_1');
    await scene.sign();
    change(scene.file);
    await scene.reopen();
    await scene.decided('org_1');
    await scene.sign();
    expect(await scene.statements()).toHaveLength(2);
    const doubt = `${scene.file} did not remember the signed statements, so those up to number 1 were taken from the database`;
    for (const state of ['running', 'restarted']) {
      if (state === 'restarted') await scene.reopen();
      await scene.sign();
      expect(await scene.faults()).toEqual({ [UNACKNOWLEDGED]: expect.stringContaining(doubt) as string });
    }
    await new StatementChain({ database: scene.pool, key: sealing.key }).vouch();
    await scene.reopen();
    await scene.sign();
    expect(scene.logged.at(-1)).toBe('an operator has acknowledged the signed statements');
    await scene.pool.query('delete from sealing_faults');
    await scene.reopen();
    await scene.sign();
    expect(await scene.faults()).toEqual({});
  });

  it('are those of a new installation where statement 0 alone was signed within ten minutes', async () => {
    await scene.decided('org_1');
    await scene.sign();
    expect(await scene.faults()).toEqual({});
    await scene.pool.query('delete from head_statements');
    rmSync(scene.file);
    const draft = { number: 0, previous: GENESIS, heads: [] };
    await insertStatement(scene.pool, signStatement(sealing.key, draft, new Date(Date.now() - 11 * 60_000)));
    await scene.reopen();
    await scene.sign();
    expect(await scene.faults()).toEqual({
      [UNACKNOWLEDGED]: expect.stringContaining('up to number 0') as string,
    });
  });

  it('are not begun over events where all of them and the file were deleted, until an operator decides so', async () => {
    await scene.decided('org_1');
    await scene.sign();
    await scene.pool.query('delete from head_statements');
    rmSync(scene.file);
    await scene.reopen();
    await scene.decided('org_1');
    await scene.sign();
    expect((await scene.pool.query('select from head_statements')).rowCount).toBe(0);
    expect((await scene.faults())['*']).toMatch(/^There are events, but no signed statement, .* reseal --all/);
    await new StatementChain({ database: scene.pool, key: sealing.key }).restart('Looked at.');
    await scene.sign();
    expect(await scene.heads()).toEqual([['org_1 1']]);
    expect(await scene.faults()).toEqual({});
  });

  it('are not signed on where they cannot be remembered, until they can', async () => {
    await scene.decided('org_1');
    await scene.sign();
    rmSync(scene.folder, { recursive: true });
    writeFileSync(scene.folder, 'no scene.folder');
    for (let n = 0; n < 2; n += 1) {
      await scene.decided('org_1');
      await scene.sign();
      expect(await scene.statements()).toHaveLength(2);
      expect((await scene.faults())['*']).toMatch(/^The newest signed statement cannot be remembered in .* \(E\w+\)/);
    }
    rmSync(scene.folder);
    await scene.sign();
    await scene.sign();
    expect(await scene.statements()).toHaveLength(3);
    expect(await scene.faults()).toEqual({});
  });

  it.each(['running', 'restarted', 'without its file'] as const)(
    'are not signed behind a statement that another key signed, although the database lists it: %s',
    async (state) => {
      await scene.decided('org_1', 'org_2');
      await scene.sign();
      await addPublicKey(scene.pool, nextKey);
      await scene.forge(nextKey, {
        heads: [{ organization: 'org_1', revision: 0, hash: 'b'.repeat(64), resealed: true }],
      });
      if (state === 'without its file') rmSync(scene.file);
      if (state !== 'running') await scene.reopen();
      await scene.decided('org_2');
      await scene.sign();
      expect(await scene.statements()).toHaveLength(2);
      expect((await scene.faults())['*']).toContain(
        `number 2, names key ${keyIdOf(nextKey)}, which is not that of AUDIT_SIGNING_KEY`,
      );
      expect((await scene.signer.heads('org_1')).unsigned).toMatchObject({ keyId: keyIdOf(nextKey) });
    },
  );

  it('are not signed where a statement between others was changed or deleted, which a restart shows', async () => {
    for (const organization of ['org_1', 'org_2', 'org_3']) {
      await scene.decided(organization);
      await scene.sign();
    }
    await scene.pool.query(`update head_statements set heads = '[]' where number = 2`);
    await scene.reopen();
    await scene.sign();
    expect((await scene.faults())['*']).toContain('number 3 does not follow number 2');
    await scene.pool.query('delete from head_statements where number = 2');
    await scene.sign();
    expect((await scene.faults())['*']).toContain('number 3 does not follow number 2');
  });

  it('are signed on with a new key that vouches for the one before it', async () => {
    await scene.decided('org_1', 'org_2');
    await scene.sign();
    const { pool, file } = scene;
    await addPublicKey(pool, nextKey);
    await new StatementChain({ database: pool, key: nextKey, formerKey: sealing.key, file }).vouch();
    await scene.reopen(nextKey);
    await scene.sign();
    expect(await scene.heads()).toEqual([['org_1 0', 'org_2 0'], [], ['org_1 0', 'org_2 0']]);
    expect((await scene.statements())[1]).toMatchObject({ keyId: keyIdOf(nextKey), keys: [keyIdOf(sealing.key)] });
    const later = new HeadSigner(scene.store, pool, nextKey);
    expect((await later.heads('org_1')).unsigned).toBeNull();
    expect(await scene.faults()).toEqual({});
  });

  it('are not begun anew by the decision of an earlier time, however it is signed', async () => {
    await scene.decided('org_1');
    await scene.sign();
    await new StatementChain({ database: scene.pool, key: sealing.key }).restart('Restored.');
    await scene.sign();
    await scene.decided('org_1');
    await scene.sign();
    expect(scene.logged).toEqual(['an operator has had hash chains signed as they were, whatever was signed before']);
    expect(await scene.statements()).toHaveLength(4);
    await scene.pool.query('delete from head_statements where number > 2');
    await scene.sign();
    await scene.reopen();
    await scene.sign();
    expect((await scene.faults())['*']).toContain('is missing: they end at number 2');
    expect(await scene.statements()).toHaveLength(2);
  });

  it.each(['running', 'restarted'])('are not begun anew by what another key calls a decision: %s', async (state) => {
    await scene.decided('org_1');
    await scene.sign();
    await scene.decided('org_1');
    await scene.sign();
    await addPublicKey(scene.pool, nextKey);
    await scene.pool.query('delete from head_statements where number = 2');
    await scene.forge(nextKey, { heads: [], restart: 'Restored.' });
    if (state === 'restarted') await scene.reopen();
    await scene.decided('org_1');
    await scene.sign();
    expect((await scene.faults())['*']).toContain(
      `number 2, names key ${keyIdOf(nextKey)}, which is not that of AUDIT_SIGNING_KEY`,
    );
    expect(await scene.statements()).toHaveLength(2);
  });
});

function rewriteMemory(file: string, change: (mark: Record<string, unknown>) => object): void {
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)));
}

let scene: SigningScene;

beforeEach(async () => {
  scene = await SigningScene.open();
});
afterEach(() => scene.close());
