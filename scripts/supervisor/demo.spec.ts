import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { demoMadeSince, firstRunFile, moveDemo } from './start';

const DEMO = {
  apiUrl: 'http://localhost:3000',
  trackUrl: 'http://localhost:3001',
  websiteId: 'site_1',
  shortUrl: 'http://localhost:3001/demo',
};

describe('the demo', () => {
  it('is shown by the start that made it and by no later one', () => {
    const dataDir = temporaryFolder('demo');
    expect(demoMadeSince(dataDir, 0)).toBeUndefined();
    writeFileSync(firstRunFile(dataDir), '{"websiteId":"site_1"}');
    expect(demoMadeSince(dataDir, Date.now() - 60_000)).toEqual({ websiteId: 'site_1' });
    expect(demoMadeSince(dataDir, Date.now() + 60_000)).toBeUndefined();
  });

  it('is found where the product answers now', () => {
    const file = written(JSON.stringify(DEMO));
    moveDemo(file.dataDir, { apiUrl: 'http://localhost:4000', trackUrl: 'https://t.example.com' });
    expect(JSON.parse(file.text())).toEqual({
      ...DEMO,
      apiUrl: 'http://localhost:4000',
      trackUrl: 'https://t.example.com',
      shortUrl: 'https://t.example.com/demo',
    });
    expect(statSync(firstRunFile(file.dataDir)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['tells of the same addresses', JSON.stringify(DEMO)],
    ['was emptied', ''],
    ['was edited', '{"apiUrl":"http://localhost:1"}'],
    ['holds null', 'null'],
  ])('is left as it is where its file %s', (_, text) => {
    const file = written(text);
    moveDemo(file.dataDir, DEMO);
    expect(file.text()).toBe(text);
  });

  it('is not made up where there is none', () => {
    const dataDir = temporaryFolder('demo');
    moveDemo(dataDir, DEMO);
    expect(statSync(firstRunFile(dataDir), { throwIfNoEntry: false })).toBeUndefined();
  });
});

function written(text: string) {
  const dataDir = temporaryFolder('demo');
  writeFileSync(firstRunFile(dataDir), text);
  return { dataDir, text: () => readFileSync(firstRunFile(dataDir), 'utf8') };
}
