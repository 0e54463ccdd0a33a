import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { customEvent, pageView } from '../events/observed-events';
import { projectInto } from '../query/projected-database';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text } = documentAt('docs/goals.md');

describe('docs/goals.md', () => {
  it('has questions that are answered as it shows', async () => {
    const owner = await ownerWithWebsite(api);
    const key = await newKey(api, owner, { scopes: ['read:data'] });
    await visitShop(owner.websiteId);
    const shell = new Shell({});
    const set = { API: await api.app.getUrl(), WEBSITE: owner.websiteId, KEY: key, JSON: JSON_TYPE };
    for (const [name, value] of Object.entries(set)) shell.set(name, value);
    const counting = text.slice(text.indexOf('## Counting'), text.indexOf('## Managing'));
    const blocks = [...counting.matchAll(/```sh\n(.*?)```\s*```json\n(.*?)```/gs)];
    for (const [, commands, shown] of blocks) {
      const outputs = [];
      for (const command of commandsIn(commands!)) outputs.push(await shell.run(command));
      expect(JSON.parse(outputs.at(-1)!.text)).toMatchObject(JSON.parse(shown!) as object);
    }
    expect(blocks).toHaveLength(2);
  });

  it('has commands to manage definitions that are answered as it shows', async () => {
    const { organizationId, websiteId, ...owner } = await ownerWithWebsite(api);
    const scopes = ['read:data', 'write:data'];
    const key = await newKey(api, { organizationId, websiteId, ...owner }, { scopes });
    const shell = new Shell({});
    const address = await api.app.getUrl();
    const set = { API: address, ORGANIZATION: organizationId, WEBSITE: websiteId, KEY: key, JSON: JSON_TYPE };
    for (const [name, value] of Object.entries(set)) shell.set(name, value);
    const managing = text.slice(text.indexOf('## Managing'));
    const blocks = [...managing.matchAll(/```(sh|json)\n(.*?)```/gs)].map(([, kind, content]) => ({ kind, content }));
    const shown: object[] = [];
    for (const [at, { kind, content }] of blocks.entries()) {
      const next = blocks[at + 1];
      for (const command of kind === 'sh' ? commandsIn(content!) : []) {
        const output = await shell.run(command);
        if (output && output.status >= 400) throw new Error(`${command}\nwas refused: ${output.text}`);
        if (next?.kind !== 'json') continue;
        expect(JSON.parse(output!.text)).toMatchObject(JSON.parse(next.content!) as object);
        shown.push(output!);
      }
    }
    expect(shown).toHaveLength(2);
  });
});

const JSON_TYPE = 'Content-Type: application/json';

/** The visits of the table. */
async function visitShop(websiteId: string): Promise<void> {
  const at = (minute: number) => Date.parse('2026-03-02T10:00:00Z') + minute * 60_000;
  const of = (letter: string) => ({ websiteId, visitorId: letter.repeat(32), sessionId: letter.repeat(32) });
  const view = (letter: string, minute: number, path: string, country = 'DE') =>
    pageView(at(minute), { ...of(letter), path, country });
  const order = (letter: string, minute: number, total: number) => {
    const event = customEvent(websiteId, minute);
    return { ...event, at: at(minute), data: { ...event.data, ...of(letter), name: 'order', properties: { total } } };
  };
  const database = await projectInto(api.settings.databaseUrl);
  await database.send(websiteId, [
    ...[view('a', 0, '/shop/shoes'), view('a', 1, '/cart'), order('a', 3, 19.99)],
    ...[view('b', 0, '/shop/hats', 'FR'), view('b', 5, '/cart', 'FR')],
    ...[view('c', 0, '/blog'), order('c', 2, 30)],
  ]);
  await database.close();
}

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterAll(() => api.close());
