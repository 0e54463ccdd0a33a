import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openDataSource } from '../database/data-source';
import { ProfileKey, ProfileKeys } from './profile-keys';
import { sealProfile, unsealProfileId, unsealTrait } from './sealed-profile';

describe('the keys of profiles', () => {
  let database: TestDatabase;
  let source: DataSource;
  let keys: ProfileKeys;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await openDataSource({ url: database.url, name: 'spec', max: 4, entities: [ProfileKey] });
    keys = new ProfileKeys(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('are one for each profile of a website, whoever asks first', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => keys.obtain('site_1', 'ann')));
    expect(new Set(found.map(({ subject, key }) => `${subject} ${key.toString('hex')}`)).size).toBe(1);
    const others = await Promise.all([keys.obtain('site_1', 'bob'), keys.obtain('site_2', 'ann')]);
    expect(new Set([found[0]!, ...others].map(({ subject }) => subject)).size).toBe(3);
  });

  it('are gone for good once they are destroyed', async () => {
    const before = await keys.obtain('site_3', 'ann');
    const sealed = sealProfile(before, 'ann', { name: 'Ann' });
    expect(await keys.subjectOf('site_3', 'ann')).toBe(before.subject);
    await keys.destroy('site_3', before.subject);
    await keys.destroy('site_3', before.subject);
    expect(await keys.exists('site_3', before.subject)).toBe(false);
    expect(await keys.subjectOf('site_3', 'ann')).toBeUndefined();
    const after = await keys.obtain('site_3', 'ann');
    expect(after.subject).not.toBe(before.subject);
    expect(() => unsealProfileId(after, sealed.profileId)).toThrow();
  });
});

describe('a sealed profile', () => {
  const sealing = { subject: '0123456789abcdef0123456789abcdef', key: Buffer.alloc(32, 7) };
  const sealed = sealProfile(sealing, 'ann@example.com', { name: 'Ann', age: 7, plan: null });

  it('says nothing to whoever has no key', () => {
    expect(JSON.stringify(sealed)).not.toMatch(/ann@|"ann"/i);
    expect(sealed).toMatchObject({ subject: sealing.subject, traits: { plan: null } });
    const other = { ...sealing, key: Buffer.alloc(32, 8) };
    expect(() => unsealProfileId(other, sealed.profileId)).toThrow();
  });

  it('is what it was to whoever has the key', () => {
    expect(unsealProfileId(sealing, sealed.profileId)).toBe('ann@example.com');
    expect(unsealTrait(sealing, 'name', sealed.traits['name']!)).toBe('Ann');
    expect(unsealTrait(sealing, 'age', sealed.traits['age']!)).toBe(7);
  });

  it('cannot be taken for another trait or another profile', () => {
    expect(() => unsealTrait(sealing, 'age', sealed.traits['name']!)).toThrow();
    expect(() => unsealProfileId({ ...sealing, subject: 'f'.repeat(32) }, sealed.profileId)).toThrow();
  });
});
