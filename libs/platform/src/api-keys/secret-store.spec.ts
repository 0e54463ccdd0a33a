import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openDataSource } from '../database/data-source';
import { ApiKeySecret } from './api-key-secret.entity';
import { newSecret } from './secret';
import { SecretStore } from './secret-store';

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
