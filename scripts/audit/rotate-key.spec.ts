import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { UNACKNOWLEDGED } from '@ledgerline/platform/event-store/verify-chain';
import { sealing } from '@test/event-store/laws/harness';
import { SigningScene } from '@test/event-store/signing-scene';
import { audit } from './audit';

const { privateKey: nextKey } = generateKeyPairSync('ed25519');

describe('npm run audit -- rotate', () => {
  it('has the new key vouch for the old one, under which heads are signed on without a fault', async () => {
    await scene.decided('org_1');
    await scene.sign();
    expect(await rotate()).toBe(
      `Key ${keyIdOf(nextKey)} vouches for ${keyIdOf(sealing.key)}: now set AUDIT_SIGNING_KEY to it.\n`,
    );
    await scene.reopen(nextKey);
    await scene.decided('org_2');
    await scene.sign();
    const statements = await scene.statements();
    expect(statements.at(-2)).toMatchObject({ keyId: keyIdOf(nextKey), keys: [keyIdOf(sealing.key)] });
    expect(statements.at(-1)).toMatchObject({ keyId: keyIdOf(nextKey), heads: [{}, {}] });
    expect(await scene.faults()).toEqual({});
  });

  it('is done on each machine, after which none of them has to be acknowledged', async () => {
    await scene.decided('org_1');
    await scene.sign();
    const before = readFileSync(scene.file);
    await rotate();
    await scene.reopen(nextKey);
    await scene.decided('org_1');
    await scene.sign();
    writeFileSync(scene.file, before); // as another machine has it
    await rotate();
    await scene.reopen(nextKey);
    await scene.sign();
    expect(await scene.faults()).toEqual({});
  });

  it('needs a new key that can be read', async () => {
    await expect(rotate(sealing.key.export({ format: 'pem', type: 'pkcs8' }) as string)).rejects.toThrow(
      'The new key is the one that AUDIT_SIGNING_KEY holds already.',
    );
    await expect(rotate('AAAA')).rejects.toThrow('AUDIT_SIGNING_KEY cannot be read; it must be an Ed25519 private key');
  });
});

describe('npm run audit -- acknowledge', () => {
  it('ends what is said of a projector that remembers no statement', async () => {
    await scene.decided('org_1');
    await scene.sign();
    rmSync(scene.file);
    await scene.reopen();
    await scene.sign();
    expect(Object.keys(await scene.faults())).toEqual([UNACKNOWLEDGED]);
    expect(await run('acknowledge')).toBe('The signed statements up to number 1 are acknowledged.\n');
    await scene.sign();
    expect(await scene.faults()).toEqual({});
  });
});

/** With a file that holds this text. */
async function rotate(text = nextKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')): Promise<string> {
  const newKey = join(scene.folder, 'new-key');
  writeFileSync(newKey, `${text}\n`);
  return run('rotate', '--to', newKey);
}

async function run(...args: string[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const close = () => Promise.resolve();
  const parts = { databaseUrl: scene.database.url, signingKey: sealing.key, statementFile: scene.file };
  const open = () => Promise.resolve({ ...parts, isRunning: false, close });
  await audit(args, { open, output });
  return String(output.read());
}

let scene: SigningScene;

beforeEach(async () => {
  scene = await SigningScene.open();
});
afterEach(() => scene.close());
