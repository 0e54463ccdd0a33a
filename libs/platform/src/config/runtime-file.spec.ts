import { writeFileSync } from 'node:fs';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { runtimeFile, storesForTools } from './runtime-file';

describe('the stores of the command-line tools', () => {
  it('are those the variables name', () => {
    const DATABASE_URL = 'postgres://a/b';
    const alone = { databaseUrl: DATABASE_URL, readDatabaseUrls: [DATABASE_URL] };
    expect(storesForTools({ DATABASE_URL, DATA_DIR: running(process.pid) })).toEqual(alone);
    expect(storesForTools({ DATABASE_URL, EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://events:2113' })).toEqual(
      { ...alone, eventStoreUrl: 'esdb://events:2113' },
    );
    expect(storesForTools({ DATABASE_URL, READ_DATABASE_URLS: 'postgres://c/d, postgres://e/f' })).toEqual({
      ...alone,
      readDatabaseUrls: ['postgres://c/d', 'postgres://e/f'],
    });
  });

  it('are else those of the running product', () => {
    const known = { databaseUrl: 'postgres://running/db', eventStoreUrl: 'esdb://running:2113' };
    expect(storesForTools({ DATA_DIR: running(process.pid) })).toEqual({
      ...known,
      readDatabaseUrls: ['postgres://running/db'],
    });
    const readDatabaseUrls = ['postgres://one/db', 'postgres://two/db'];
    expect(storesForTools({ DATA_DIR: running(process.pid, { readDatabaseUrls }) })).toEqual({
      ...known,
      readDatabaseUrls,
    });
  });

  it('are a clear sentence where nothing runs, also after a kill', () => {
    expect(() => storesForTools({ DATA_DIR: '/no/such/folder' })).toThrow('No database: run "npm start"');
    expect(() => storesForTools({ DATA_DIR: running(2 ** 22 + 1) })).toThrow('No database: run "npm start"');
  });
});

function running(supervisor: number, more: object = {}): string {
  const dataDir = temporaryFolder('runtime');
  writeFileSync(
    runtimeFile(dataDir),
    JSON.stringify({
      databaseUrl: 'postgres://running/db',
      eventStoreUrl: 'esdb://running:2113',
      pids: { supervisor },
      ...more,
    }),
  );
  return dataDir;
}
