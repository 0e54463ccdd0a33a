import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { documentAt } from './documents';
import { commandsIn, Shell } from './shell';

const { text } = documentAt('docs/status-pages.md');

describe('docs/status-pages.md', () => {
  it('has commands that are answered', async () => {
    const { organizationId, ...owner } = await ownerWithWebsite(api);
    const key = await newKey(api, { organizationId, ...owner }, { scopes: ['read:data', 'write:data'] });
    const shell = new Shell({});
    const set = { API: await api.app.getUrl(), ORGANIZATION: organizationId, KEY: key };
    for (const [name, value] of Object.entries(set)) shell.set(name, value);
    const answers: string[] = [];
    for (const [, content] of text.matchAll(/```sh\n(.*?)```/gs))
      for (const command of commandsIn(content!)) {
        const output = await shell.run(command);
        if (output && output.status >= 400) throw new Error(`${command}\nwas refused: ${output.text}`);
        if (output?.text.startsWith('{')) answers.push(output.text);
      }
    const [answered, report, resolved] = answers.map((answer) => JSON.parse(answer) as Record<string, unknown>);
    expect(answered?.data).toMatchObject([{ success: true }, { success: true }, { success: true }]);
    expect(report).toMatchObject({ name: 'Example Shop', monitors: [{ name: 'Checkout' }] });
    expect(resolved).toMatchObject({ status: 'resolved', updates: [{}, { message: 'Orders work again.' }] });
  });
});

let api: TestApi;
let projector: DirectProjector;

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl);
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
