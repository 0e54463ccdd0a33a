import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { pageView } from '../events/observed-events';
import { projectInto, type DirectProjector } from '../query/projected-database';

const DAY_MS = 86_400_000;
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;

/** The official library, unmodified, in a process of its own. */
describe('an agent that is asked where people from a newsletter leave', () => {
  it('says at which step most do, who they are and where they go instead', async () => {
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
    const found = [
      'Of 6 visitors from newsletter, 1 got through "To the order".',
      'Most left after step 2 (Step 2): 4 of 5.',
      'From search, 1 of 3 left there.',
      'They are 4 visitors. Of 5 visits that saw it, 1 ended there.',
      'Most that went on went to /help (3).',
      '',
    ];
    expect(await answer(key)).toEqual([expect.stringMatching(/^Nothing was (created|changed)/), ...found]);
    expect(await answer(key)).toEqual(found); // the funnel is there
    const { body } = await ask(api, `GET /v1/funnels?organizationId=${owner.organizationId}`, owner);
    expect(body.data).toMatchObject([{ name: 'To the order' }]);
  });
});

async function answer(key: string): Promise<string[]> {
  const args = [join(__dirname, 'leaving-agent.mjs'), `${await api.app.getUrl()}/v1/mcp`, key, 'newsletter'];
  return (await promisify(execFile)(process.execPath, args)).stdout.split('\n');
}

/** Visits by their pages, a minute each. */
const visits = (source: string, times: number, ...paths: readonly string[]) =>
  Array.from({ length: times }, () => randomBytes(16).toString('hex')).flatMap((visitorId) =>
    paths.map((path, minute) => {
      const utm = { source, medium: null, campaign: null, term: null, content: null };
      return pageView(NOON + minute * 60_000, { websiteId: owner.websiteId, visitorId, path, utm });
    }),
  );

let api: TestApi;
let owner: Owner;
let projector: DirectProjector;

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  projector = await projectInto(api.settings.databaseUrl, []);
  await projector.send(owner.websiteId, [
    ...visits('newsletter', 1, '/news'),
    ...visits('newsletter', 1, '/news', '/pricing'),
    ...visits('newsletter', 3, '/news', '/pricing', '/help'),
    ...visits('newsletter', 1, '/news', '/pricing', '/cart', '/paid'),
    ...visits('search', 2, '/news', '/pricing', '/cart', '/paid'),
    ...visits('search', 1, '/news', '/pricing'),
  ]);
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
