import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrlForTools, runtimeFile } from './runtime-file';

describe('the database of the command-line tools', () => {
  it('is the one that DATABASE_URL names', () => {
    expect(databaseUrlForTools({ DATABASE_URL: 'postgres://a/b', DATA_DIR: running(process.pid) })).toBe(
      'postgres://a/b',
    );
  });

  it('is else the one of the running product', () => {
    expect(databaseUrlForTools({ DATA_DIR: running(process.pid) })).toBe('postgres://running/db');
  });

  it('is a clear sentence where nothing runs, also after a kill', () => {
    expect(() => databaseUrlForTools({ DATA_DIR: '/no/such/folder' })).toThrow('No database: run "npm start"');
    expect(() => databaseUrlForTools({ DATA_DIR: running(2 ** 22 + 1) })).toThrow('No database: run "npm start"');
  });
});

function running(supervisor: number): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledgerline-runtime-'));
  writeFileSync(runtimeFile(dataDir), JSON.stringify({ databaseUrl: 'postgres://running/db', pids: { supervisor } }));
  return dataDir;
}
