import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { linkClicked, pageView } from '../events/observed-events';
import { projectInto, type DirectProjector } from '../query/projected-database';

const DAY_MS = 86_400_000;

/** The official library, unmodified, in a process of its own. */
describe('an agent with a key', () => {
  it('finds a website, asks three questions and explains the clicks of a link', async () => {
    const at = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS + DAY_MS / 2;
    const owner = await ownerWithWebsite(api);
    const { organizationId, websiteId, headers } = owner;
    const details = { organizationId, name: 'Newsletter', targetUrl: 'https://example.com/news', slug: 'news' };
    const linkId = (await ask(api, 'POST /v1/links', { body: details, headers })).body.id as string;
    const visitors = Array.from({ length: 3 }, () => randomBytes(16).toString('hex'));
    await projector.send(websiteId, [
      ...visitors.map((visitorId) => pageView(at, { websiteId, visitorId, path: '/pricing' })),
      pageView(at + 1_000, { websiteId, visitorId: visitors[0]!, path: '/' }),
    ]);
    const source = { linkId, country: 'DE', referrer: { host: 'news.example', path: '/', own: false } };
    await projector.send(linkId, [
      linkClicked(at - DAY_MS, { linkId, country: 'FR' }),
      ...[0, 1, 2, 3].map((n) => linkClicked(at + n, source)),
    ]);
    await projector.catchUp();
    const key = await newKey(api, owner, { scopes: ['read:data'] });
    const args = [join(__dirname, 'agent.mjs'), `${await api.app.getUrl()}/v1/mcp`, key, 'shop', 'newsletter'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.split('\n')).toEqual([
      'Tools: list_websites, list_query_types, query, list_links, get_link, list_goals, get_goal_analytics, list_funnels, get_funnel_analytics, list_segments, list_saved_views, list_annotations, list_alerts, list_tags, list_monitors, get_status, list_destinations.',
      'Shop had 3 visitors with 4 page views in 30 days.',
      expect.stringMatching(/^Its most visited page was \/pricing; most visits came from \w+\.$/),
      `Newsletter (http://localhost:3001/news) leads to https://example.com/news and was clicked 5 times, most on ${new Date(at).toISOString().slice(0, 10)} (4), mostly from news.example and Germany.`,
      '',
    ]);
  });
});

let api: TestApi;
let projector: DirectProjector;

beforeAll(async () => {
  api = await startTestApi({ PUBLIC_TRACK_URL: 'http://localhost:3001' });
  projector = await projectInto(api.settings.databaseUrl, []);
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
