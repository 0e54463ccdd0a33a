import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { writePrivately } from './private-file';

describe('a private file', () => {
  it('is replaced as a whole and readable by its owner alone', () => {
    const folder = temporaryFolder('private');
    const file = join(folder, 'secrets.json');
    writeFileSync(file, 'of somebody careless', { mode: 0o644 });
    writePrivately(file, { a: 1 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ a: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['secrets.json']);
  });
});
