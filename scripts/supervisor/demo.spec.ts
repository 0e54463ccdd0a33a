import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoMadeSince, firstRunFile } from './demo';

describe('the demo', () => {
  it('is shown by the start that made it and by no later one', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'ledgerline-demo-'));
    expect(demoMadeSince(dataDir, 0)).toBeUndefined();
    writeFileSync(firstRunFile(dataDir), '{"websiteId":"site_1"}');
    expect(demoMadeSince(dataDir, Date.now() - 60_000)).toEqual({ websiteId: 'site_1' });
    expect(demoMadeSince(dataDir, Date.now() + 60_000)).toBeUndefined();
  });
});
