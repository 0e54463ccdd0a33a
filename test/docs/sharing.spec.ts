import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { freePort } from '../network/free-port';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text } = documentAt('docs/sharing.md');

describe('docs/sharing.md', () => {
  it('has commands that are answered', async () => {
    const { organizationId, websiteId, ...owner } = await ownerWithWebsite(api);
    const key = await newKey(api, { organizationId, websiteId, ...owner }, { scopes: ['read:data', 'write:data'] });
    const shell = new Shell({});
    const set = { API: api.settings.publicApiUrl, ORGANIZATION: organizationId, WEBSITE: websiteId, KEY: key };
    for (const [name, value] of Object.entries(set)) shell.set(name, value);
    const answers: string[] = [];
    for (const [, content] of text.matchAll(/```sh\n(.*?)```/gs))
      for (const command of commandsIn(content!)) {
        const output = await shell.run(command);
        if (output && output.status >= 400) throw new Error(`${command}\nwas refused: ${output.text}`);
        if (output?.text.startsWith('{')) answers.push(output.text);
      }
    const answered = answers.map((answer) => JSON.parse(answer) as Record<string, unknown>);
    expect(answered.at(-1)).toMatchObject({
      data: [{ success: true }, { success: true }],
      meta: { filters_applied: 1 },
    });
  });
});

let api: TestApi;
let projector: DirectProjector;

beforeAll(async () => {
  const port = await freePort();
  api = await startTestApi({ PUBLIC_API_URL: `http://127.0.0.1:${port}` }, {}, port);
  projector = await projectInto(api.settings.databaseUrl);
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
