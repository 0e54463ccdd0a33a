import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptFill, type Filled } from './kept-fill';

const FILLED: Filled = {
  registered: {
    subjects: [
      {
        organizationId: 'org_1',
        websiteId: 'site_1',
        domain: 'example.com',
        zone: 'UTC',
        identity: 'stable',
        linkId: 'link_1',
      },
    ],
    slug: 'bench',
    apiKey: 'secret',
  },
  plan: { seed: 1, end: 1_700_000_000_000, days: 90, visitors: 10, visits: 20 },
  events: { small: 10, large: 100 },
};

describe('what a kept installation was filled with', () => {
  it('is read again, and only its owner may', () => {
    const kept = new KeptFill(folder);
    expect(kept.filled).toBeUndefined();
    kept.note(FILLED);
    expect(new KeptFill(folder).filled).toEqual(FILLED);
    expect(statSync(join(folder, 'bench.json')).mode & 0o777).toBe(0o600);
  });

  it('is unknown for a folder that does not exist yet', () => {
    expect(new KeptFill(join(folder, 'new')).filled).toBeUndefined();
  });

  it('is refused for a folder with something else, such as an interrupted fill', () => {
    writeFileSync(join(folder, 'secrets.json'), '{}');
    expect(() => new KeptFill(folder)).toThrow(`${folder} holds no installation that the bench has filled`);
  });

  let folder: string;

  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ledgerline-kept-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
});
