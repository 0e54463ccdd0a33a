import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openDataSource } from '../database/data-source';
import {
  ApiKeySecret,
  credentialOf,
  hashSecret,
  looksLikeSecret,
  newSecret,
  SecretStore,
  secretStart,
} from './secret-store';

describe('the store of secrets', () => {
  it('finds the key of a secret, and nothing for another', async () => {
    const secret = newSecret();
    await store().add(secret, { keyId: 'key_1', secretId: 'a' });
    expect(await store().find(secret)).toEqual({ keyId: 'key_1', secretId: 'a' });
    expect(await store().find(newSecret())).toBeUndefined();
  });

  it('asks the database once', async () => {
    const secret = newSecret();
    const warm = store();
    await warm.add(secret, { keyId: 'key_1', secretId: 'b' });
    await warm.find(secret);
    const asked = jest.spyOn(source.getRepository(ApiKeySecret), 'findOne');
    expect(await warm.find(secret)).toEqual({ keyId: 'key_1', secretId: 'b' });
    expect(await warm.find('no secret at all')).toBeUndefined();
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
  });

  it('finds nothing under another pepper', async () => {
    const secret = newSecret();
    await store().add(secret, { keyId: 'key_1', secretId: 'c' });
    expect(await new SecretStore(source, 'another pepper').find(secret)).toBeUndefined();
  });

  it('keeps neither a secret nor anything that shows it', async () => {
    const secret = newSecret();
    await store().add(secret, { keyId: 'key_1', secretId: 'd' });
    const rows: { hash: string }[] = await source.query(`select encode(hash, 'escape') as hash from api_key_secrets`);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(8));
  });

  it('never takes one secret id, nor one secret, for two keys', async () => {
    const secret = newSecret();
    await store().add(secret, { keyId: 'key_1', secretId: 'e' });
    await expect(store().add(newSecret(), { keyId: 'key_2', secretId: 'e' })).rejects.toThrow('another key');
    await expect(store().add(secret, { keyId: 'key_2', secretId: 'f' })).rejects.toThrow('another key');
  });

  it('keeps a secret of the same key under its first id', async () => {
    const secret = newSecret();
    await store().add(secret, { keyId: 'key_1', secretId: 'first' });
    expect(await store().add(secret, { keyId: 'key_1', secretId: 'second' })).toEqual({
      keyId: 'key_1',
      secretId: 'first',
    });
  });

  it('sweeps old secrets that are not live, and no others', async () => {
    await source.query('delete from api_key_secrets');
    for (const secretId of ['live', 'orphan', 'young']) await store().add(newSecret(), { keyId: 'key_1', secretId });
    await source.query(`update api_key_secrets set created_at = now() - interval '1 day' where secret_id <> 'young'`);
    const anHourAgo = new Date(Date.now() - 3_600_000);
    expect(await store().sweep(({ secretId }) => secretId === 'live', anHourAgo)).toBe(1);
    const left = await source.getRepository(ApiKeySecret).find({ order: { secretId: 'asc' } });
    expect(left.map(({ secretId }) => secretId)).toEqual(['live', 'young']);
  });

  it('records when a key was used, at most once in five minutes', async () => {
    const uses = store();
    expect(await uses.lastUses(['key_used'])).toEqual(new Map());
    uses.noteUse('key_used');
    const first = await waitUntil(
      () => uses.lastUses(['key_used']),
      ({ size }) => size === 1,
    );
    const asked = jest.spyOn(source, 'query');
    uses.noteUse('key_used');
    expect(asked).not.toHaveBeenCalled();
    asked.mockRestore();
    store().noteUse('key_other');
    expect(await uses.lastUses(['key_used'])).toEqual(first);
  });
});

let database: TestDatabase;
let source: DataSource;
const store = () => new SecretStore(source, 'a pepper for tests, nothing else');

beforeAll(async () => {
  database = await createTestDatabase();
  source = await openDataSource({ url: database.url, name: 'spec', max: 2, entities: [ApiKeySecret] });
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

describe('a secret', () => {
  it('is svc_ and 48 letters and digits, never the same', () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    expect(secrets.every(looksLikeSecret)).toBe(true);
    expect(new Set(secrets).size).toBe(200);
  });

  it('draws every character equally often', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 1_000; n++)
      for (const character of newSecret().slice(4)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (1_000 * 48) / 62;
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    expect(counts.size).toBe(62);
    expect(chiSquare).toBeLessThan(140); // 61 degrees of freedom: a fair draw exceeds it less than once in 10^7
  });

  it('shows only its first eight characters', () => {
    const secret = newSecret();
    expect(secretStart(secret)).toBe(secret.slice(0, 8));
    expect(secretStart(secret)).toHaveLength(8);
  });

  it('is recognised by its exact form', () => {
    const secret = newSecret();
    for (const wrong of [
      '',
      'svc_',
      `${secret}x`,
      secret.slice(0, -1),
      ` ${secret}`,
      `${secret}\n`,
      `SVC_${secret.slice(4)}`,
    ])
      expect(looksLikeSecret(wrong)).toBe(false);
  });

  it('is hashed under the pepper', () => {
    const secret = `svc_${'a'.repeat(48)}`;
    expect(hashSecret(secret, 'pepper')).toHaveLength(32);
    expect(hashSecret(secret, 'pepper')).toEqual(hashSecret(secret, 'pepper'));
    expect(hashSecret(secret, 'pepper')).not.toEqual(hashSecret(secret, 'salt'));
  });
});

describe('the credential of a request', () => {
  it('is none without either header', () => expect(credentialOf({ cookie: 'a=b' })).toBeNull());

  it.each([
    [{ 'x-api-key': ' svc_1 ' }, 'svc_1'],
    [{ authorization: 'Bearer svc_1' }, 'svc_1'],
    [{ authorization: 'BEARER  svc_1 ' }, 'svc_1'],
    [{ 'x-api-key': 'svc_1', authorization: 'Bearer svc_1' }, 'svc_1'],
  ])('is the key of %j', (headers, secret) => expect(credentialOf(headers)).toBe(secret));

  it.each([
    { 'x-api-key': '' },
    { 'x-api-key': ['a', 'b'] },
    { authorization: '' },
    { authorization: 'svc_1' },
    { authorization: 'Basic c3ZjXzE=' },
    { authorization: 'Bearer a b' },
    { 'x-api-key': 'svc_1', authorization: 'Bearer svc_2' },
    { 'x-api-key': 'svc_1', authorization: 'Basic c3ZjXzE=' },
    { 'x-api-key': '', authorization: 'Bearer svc_1' },
  ])('is unusable in %j', (headers) => expect(credentialOf(headers)).toBe(''));

  it.each([
    [{ 'x-api-key': '', authorization: 'Basic c3ZjXzE=' }, null],
    [{ 'x-api-key': 'svc_1', authorization: 'Basic c3ZjXzE=' }, 'svc_1'],
    [{ 'x-api-key': 'svc_1', authorization: 'Bearer svc_2' }, ''],
    [{ authorization: 'Bearer a b' }, ''],
  ])('where it is lenient, is in %j the text %j', (headers, secret) =>
    expect(credentialOf(headers, { lenient: true })).toBe(secret),
  );
});
