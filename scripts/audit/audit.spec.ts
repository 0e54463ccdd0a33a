import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openPool } from '@ledgerline/platform/database/pool';
import { chainHash, contentHash, GENESIS } from '@ledgerline/platform/event-store/appended-events';
import { headLine, linkLine } from '@ledgerline/platform/event-store/audit-export';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { keyIdOf, publicKeysOf, signHead } from '@ledgerline/platform/event-store/head-statement';
import { sealing } from '@test/event-store/laws/harness';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { audit } from './audit';
import { pemOf, readKeptHead, readPublicKeyFile } from './kept-proofs';

describe('npm run audit', () => {
  it('says in one sentence what it cannot do', async () => {
    for (const args of [[], ['verify'], ['export'], ['prove', 'FILE'], ['verify', '--what']])
      await expect(run(...args)).rejects.toThrow('Usage: npm run audit');
    for (const args of [
      ['verify', 'a', 'b'],
      ['verify', '--intake', 'a'],
      ['verify', '--intake', '--head', 'a'],
      ['public-keys', 'a'],
      ['verify', 'a', '--organization', 'org_1'],
    ])
      await expect(run(...args)).rejects.toThrow('These arguments do not go together; verify takes one file.');
    await expect(run('verify', file('none.ndjson'))).rejects.toThrow('none.ndjson cannot be read.');
    await expect(run('verify', folder)).rejects.toThrow('cannot be read.');
    await expect(run('verify', 'x', '--public-key', file('none.pem'))).rejects.toThrow('none.pem cannot be read.');
    await expect(run('export', '--organization', 'org_none')).rejects.toThrow('There is no organization "org_none"');
  });

  it('has an exit code of its own for each verdict', async () => {
    const metadata = { schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'Thing', data: {}, metadata, stream: 'org_1-thing-1', revision: 0 };
    const chain = { revision: 0, hash: chainHash(event, GENESIS), previousHash: GENESIS };
    const lines = [headLine(signHead(sealing.key, 'org_1', chain, new Date(0))), linkLine({ ...event, chain })];
    writeFileSync(file('export.ndjson'), lines.join('\n'));
    writeFileSync(file('changed.ndjson'), lines.join('\n').replace('Thing', 'Other'));
    writeFileSync(file('known.pem'), pemOf(createPublicKey(sealing.key)));
    const codeOf = async (name: string, ...more: string[]) => (await answer('verify', file(name), ...more)).code;
    expect(await codeOf('export.ndjson', '--public-key', file('known.pem'))).toBe(0);
    expect(await codeOf('changed.ndjson', '--public-key', file('known.pem'))).toBe(2);
    expect(await codeOf('export.ndjson')).toBe(3);
    expect(await codeOf('changed.ndjson')).toBe(2);
    const hashes = lines.with(1, linkLine({ contentHash: contentHash(event), chain }));
    writeFileSync(file('hashes.ndjson'), hashes.join('\n'));
    expect(await codeOf('hashes.ndjson', '--public-key', file('known.pem'))).toBe(3);
    const kept = { organizationId: 'org_1', head: chain, signedAt: '', keyId: '', signature: '' };
    writeFileSync(file('kept.json'), JSON.stringify(kept));
    const known = ['--public-key', file('known.pem'), '--head', file('kept.json')];
    expect(await answer('verify', file('export.ndjson'), ...known)).toEqual({
      code: 2,
      text: `NOT VALID: ${file('kept.json')} is not signed with one of the given public keys, or was changed.\n`,
    });
  });

  it('prints the public keys as it reads them, and none that something else has added', async () => {
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await addPublicKey(pool, generateKeyPairSync('ed25519').privateKey);
    await pool.end();
    writeFileSync(file('keys.pem'), await run('public-keys'));
    const keys = readPublicKeyFile(file('keys.pem'));
    expect([...publicKeysOf(...keys).keys()]).toEqual([keyIdOf(sealing.key)]);
  });

  it('takes nothing else for public keys', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const text of ['', 'PEM', pemOf(publicKey), '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----']) {
      writeFileSync(file('other.pem'), text);
      expect(() => readPublicKeyFile(file('other.pem'))).toThrow('is no PEM file of Ed25519 public keys');
    }
  });

  it('takes a kept head only with its signature', () => {
    const { organization, revision, hash, ...signed } = signHead(sealing.key, 'org_1', place, new Date(0));
    const keys = publicKeysOf(sealing.key);
    const kept = (answer: unknown) => {
      writeFileSync(file('head.json'), JSON.stringify(answer));
      return readKeptHead(file('head.json'), keys);
    };
    const answer = { organizationId: organization, valid: true, head: { revision, hash }, ...signed };
    expect(kept(answer)).toEqual({ organization, revision, hash, ...signed });
    expect(() => kept({ ...answer, head: { revision: 4, hash } })).toThrow('is not signed with one of the given');
    for (const other of [null, {}, { ...answer, signature: null }, { ...answer, head: null }])
      expect(() => kept(other)).toThrow('is no answer of GET /v1/audit-log/verify');
  });
});

const place = { revision: 3, hash: 'a'.repeat(64) };

const run = async (...args: string[]): Promise<string> => (await answer(...args)).text;

async function answer(...args: string[]): Promise<{ code: number; text: string }> {
  const output = new PassThrough({ encoding: 'utf8' });
  const installation = { databaseUrl: database.url, signingKey: sealing.key, isRunning: false };
  const open = () => Promise.resolve({ ...installation, close: () => Promise.resolve() });
  return { code: await audit(args, { open, output }), text: String(output.read()) };
}

const file = (name: string) => join(folder, name);
let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerline-audit-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});
