import { PRESETS } from '@ledgerline/domain/query/date-range';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { pageView } from '../events/observed-events';
import { projectInto } from '../query/projected-database';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text } = documentAt('docs/queries.md');
const blocks = [...text.matchAll(/```(sh|json|csv)\n(.*?)```/gs)].map(([, kind, content]) => ({ kind, content }));

describe('docs/queries.md', () => {
  it('has commands that are answered as it shows', async () => {
    let answered = 0;
    for (const [at, { kind, content }] of blocks.entries()) {
      if (kind !== 'sh') continue;
      const outputs = [];
      for (const command of commandsIn(content!)) outputs.push(await shell.run(command));
      const { status, text: answer } = outputs.at(-1)!;
      const shown = blocks[at + 1]!;
      expect([status, content]).toEqual([200, content]);
      if (shown.kind === 'csv') expect(answer.replaceAll('\r\n', '\n')).toBe(shown.content);
      else expect(JSON.parse(answer)).toMatchObject(JSON.parse(shown.content!) as object);
      answered++;
    }
    expect(answered).toBe(8);
  });

  it('lists every preset', () => {
    expect(PRESETS.filter((preset) => !text.includes(`\`${preset}\``))).toEqual([]);
  });
});

let api: TestApi;
let shell: Shell;

/** One visitor from Germany and Google, one from France and X. */
beforeAll(async () => {
  api = await startTestApi();
  const owner = await ownerWithWebsite(api);
  const key = await newKey(api, owner, { scopes: ['read:data'] });
  const { websiteId } = owner;
  const at = Date.parse('2026-03-02T10:00:00Z');
  const ada = { websiteId, country: 'DE', referrer: { host: 'www.google.com', path: '/', own: false } };
  const bob = { websiteId, country: 'FR', referrer: { host: 't.co', path: '/a', own: false } };
  const database = await projectInto(api.settings.databaseUrl);
  await database.send(websiteId, [
    pageView(at, { ...ada, visitorId: 'a'.repeat(32) }),
    pageView(at + 60_000, { ...ada, visitorId: 'a'.repeat(32), path: '/pricing' }),
    pageView(at, { ...bob, visitorId: 'b'.repeat(32), path: '/pricing' }),
  ]);
  await database.close();
  shell = new Shell({});
  const set = { API: await api.app.getUrl(), WEBSITE: websiteId, KEY: key };
  for (const [name, value] of Object.entries(set)) shell.set(name, value);
});

afterAll(() => api.close());
