import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '../../test/postgres/test-database';
import { demoMadeSince, demoWritten, firstRunFile, storeIsEmpty } from './demo';

describe('the demo of the first start', () => {
  it('is expected where nothing was ever decided', async () => {
    const database = await createTestDatabase();
    expect(await storeIsEmpty(database.url)).toBe(true);
    await database.drop();
  });

  it('is waited for until it is written whole', async () => {
    const dataDir = emptyFolder();
    const since = Date.now() - 1_000;
    writeFileSync(firstRunFile(dataDir), '{"websiteId":');
    expect(demoMadeSince(dataDir, since)).toBeUndefined();
    setTimeout(() => writeFileSync(firstRunFile(dataDir), '{"websiteId":"site_1"}'), 100);
    await demoWritten(dataDir, since);
    expect(demoMadeSince(dataDir, since)).toEqual({ websiteId: 'site_1' });
  });

  it('is not shown again by a later start', () => {
    const dataDir = emptyFolder();
    writeFileSync(firstRunFile(dataDir), '{"websiteId":"site_1"}');
    expect(demoMadeSince(dataDir, Date.now() + 1_000)).toBeUndefined();
  });
});

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'ledgerline-demo-'));
