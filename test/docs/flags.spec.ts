import { FLAG_REASONS } from '@ledgerline/domain/flags/evaluate-flag';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text } = documentAt('docs/flags.md');

describe('docs/flags.md', () => {
  it('has commands that are answered as it shows', async () => {
    const { organizationId, websiteId, ...owner } = await ownerWithWebsite(api);
    const key = await newKey(api, { organizationId, websiteId, ...owner }, { scopes: ['manage:flags'] });
    const shell = new Shell({});
    const set = { API: await api.app.getUrl(), ORGANIZATION: organizationId, WEBSITE: websiteId, KEY: key };
    for (const [name, value] of Object.entries(set)) shell.set(name, value);
    const blocks = [...text.matchAll(/```(sh|json)\n(.*?)```/gs)].map(([, kind, content]) => ({ kind, content }));
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

  it('explains every reason', () => {
    expect(FLAG_REASONS.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
  });
});

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterAll(() => api.close());
