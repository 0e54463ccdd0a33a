import { createHash, randomUUID } from 'node:crypto';
import request from 'supertest';
import type { HitJudgedBot, LinkClicked, ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { omit } from '@ledgerline/domain/decider';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { routesOf } from '@test/http/route-requests';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { UNSEEN } from '@test/tracker/unseen';
import { waitUntil } from '@test/wait-until';
import { BROWSER } from '../../../../scripts/supervisor/screen';
import { INTAKE_LOG } from '../tokens';

const IPHONE = `${BROWSER.replace('X11; Linux x86_64', 'iPhone; CPU iPhone OS 17_5 like Mac OS X')} Mobile/15E148`;
const EXPIRED = { expiresAt: '2020-01-01T00:00:00Z' };
const LATER = 'https://example.com/later';

describe('short links', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true', LIMIT_REDIRECTS_PER_IP_PER_MINUTE: '100000' });
    await tracker.createLink('link_1', { slug: 'sale', iosUrl: 'https://apps.apple.com/x?ct=own', ogTitle: 'Spring' });
    await tracker.createLink('link_2', { slug: 'over', ...EXPIRED });
    await tracker.createLink('link_3', { slug: 'moved', ...EXPIRED, expiredRedirectUrl: LATER });
    await tracker.createLink('link_4', { slug: 'plain', name: 'Terms & "conditions"' });
    await tracker.createLink('link_5', {
      slug: 'pictured',
      ogImageUrl: 'https://example.com/a.png',
      ogDescription: 'D',
    });
    await tracker.createLink('link_6', { slug: 'elsewhere', organizationId: 'org_2' });
  });
  afterAll(() => tracker.stop());

  type Asked = { method?: 'GET' | 'HEAD'; agent?: string; address?: string; purpose?: (typeof UNSEEN)[number] };
  const ask = (url: string, more: Asked = {}) =>
    tracker.app.inject({
      method: more.method ?? 'GET',
      url,
      headers: {
        'user-agent': more.agent ?? BROWSER,
        'x-forwarded-for': more.address ?? '81.2.69.142',
        ...more.purpose,
      },
    });

  const recorded = async <Event extends ObservedEvent>(type: Event['type'], linkId: string): Promise<Event[]> =>
    (await tracker.recorded()).filter(
      (event): event is Event => event.type === type && 'linkId' in event.data && event.data.linkId === linkId,
    );

  it('show a short page to people who open the host itself, which runs nothing', async () => {
    const { statusCode, headers, body } = await ask('/');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<h1>Ledgerline</h1>');
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(body) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    const head = await ask('/', { method: 'HEAD' });
    expect([head.statusCode, head.headers['content-type']]).toEqual([200, headers['content-type']]);
  });

  describe('for bots', () => {
    const FETCHERS = [
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'Twitterbot/1.0',
      'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
      'WhatsApp/2.23.20.0',
      'TelegramBot (like TwitterBot)',
      'Bluesky Cardyb/1.1',
      'Mozilla/5.0 (compatible; Mattermost-LinkPreview/1.0)',
      'Synapse (bot; +https://github.com/matrix-org/synapse)',
    ];

    it.each(FETCHERS)('are pages with Open Graph tags: %s', async (agent) => {
      const { statusCode, headers, body } = await ask('/sale', { agent });
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers['cache-control']).toBe('private, no-cache');
      expect(body).toContain('<meta property="og:title" content="Spring" />');
      expect(body).toContain('<meta property="og:url" content="https://go.example/sale" />');
      expect(body).toContain('<a href="https://example.com/sale">Spring</a>');
    });

    it.each(['Googlebot/2.1', 'curl/8.5.0', 'Mozilla/5.0 (X11) HeadlessChrome/126.0.0.0', ''])(
      'that show no previews are redirects: "%s"',
      async (agent) => {
        const { statusCode, headers } = await ask('/sale', { agent });
        expect([statusCode, headers.location]).toEqual([302, 'https://example.com/sale']);
      },
    );

    it('are previewed by their name, and with a large picture where there is one', async () => {
      const plain = (await ask('/plain', { agent: 'Twitterbot/1.0' })).body;
      expect(plain).toContain('content="Terms &amp; &quot;conditions&quot;"');
      expect(plain).toContain('name="twitter:card" content="summary"');
      expect(plain).not.toMatch(/og:(image|description)/);
      const pictured = (await ask('/pictured', { agent: 'Twitterbot/1.0' })).body;
      expect(pictured).toContain('property="og:image" content="https://example.com/a.png"');
      expect(pictured).toContain('property="og:description" content="D"');
      expect(pictured).toContain('name="twitter:card" content="summary_large_image"');
    });

    it('are recorded with the verdict and never counted', async () => {
      await waitUntil(
        async () => (await recorded<HitJudgedBot>('HitJudgedBot', 'link_1')).length === FETCHERS.length + 4,
      );
      const judged = await recorded<HitJudgedBot>('HitJudgedBot', 'link_1');
      expect(judged.map(({ data }) => data.userAgent).toSorted()).toEqual(
        [...FETCHERS, 'Googlebot/2.1', 'curl/8.5.0', 'Mozilla/5.0 (X11) HeadlessChrome/126.0.0.0', ''].toSorted(),
      );
      expect(judged.every(({ data }) => data.rule !== '' && data.ruleVersion !== '')).toBe(true);
      expect(await recorded<LinkClicked>('LinkClicked', 'link_1')).toEqual([]);
    });
  });

  it('are followed before anybody sees the target, and no click of that is counted', async () => {
    const seen = await ask('/sale?utm_source=unseen', { agent: IPHONE });
    for (const purpose of UNSEEN) {
      const { statusCode, headers } = await ask('/sale?utm_source=unseen', { agent: IPHONE, purpose });
      expect([statusCode, headers.location]).toEqual([302, seen.headers.location]);
    }
    const unseen = async () =>
      (await recorded<HitJudgedBot>('HitJudgedBot', 'link_1')).filter(({ data }) => data.rule === 'not-seen');
    await waitUntil(async () => (await unseen()).length === UNSEEN.length);
    for (const { data } of await unseen())
      expect(data).toMatchObject({ userAgent: '', bot: null, ruleVersion: '1', hit: { type: 'LinkClicked' } });
    const clicks = await recorded<LinkClicked>('LinkClicked', 'link_1');
    expect(clicks.filter(({ data }) => data.utm?.source === 'unseen')).toHaveLength(1);
  });

  it('answer HEAD like GET, without a body and without a click', async () => {
    for (const path of ['/plain?utm_source=x', '/over', '/moved', '/nothing']) {
      const get = await ask(path);
      const head = await request(tracker.app.getHttpServer()).head(path).redirects(0).set('user-agent', BROWSER);
      expect([head.status, head.text]).toEqual([get.statusCode, undefined]);
      for (const name of ['location', 'cache-control', 'content-type'])
        expect([path, name, head.headers[name]]).toEqual([path, name, get.headers[name]]);
    }
    await ask('/plain?utm_source=last');
    await waitUntil(async () => (await recorded<LinkClicked>('LinkClicked', 'link_4')).length >= 2);
    const clicks = await recorded<LinkClicked>('LinkClicked', 'link_4');
    expect(clicks.map(({ data }) => data.utm?.source).toSorted()).toEqual(['last', 'x']);
  });

  it('count nobody once they have expired, neither people nor bots', async () => {
    for (const path of ['/over', '/moved']) {
      await ask(path);
      await ask(path, { agent: 'Twitterbot/1.0' });
    }
    await ask('/pictured');
    await waitUntil(async () => (await recorded('LinkClicked', 'link_5')).length === 1);
    for (const id of ['link_2', 'link_3'])
      expect([await recorded('LinkClicked', id), await recorded('HitJudgedBot', id)]).toEqual([[], []]);
  });

  it('hand their query string on to the target of the device, but for what that has itself', async () => {
    const { headers } = await ask('/sale?utm_source=mail&ct=7', { agent: IPHONE });
    expect(headers.location).toBe('https://apps.apple.com/x?ct=own&utm_source=mail');
    expect((await ask('/sale?ref=7')).headers.location).toBe('https://example.com/sale?ref=7');
  });

  it('that lead in a circle are a page and no click, and followed where they end', async () => {
    const to = (slug: string) => ({ targetUrl: `https://go.example/${slug}` });
    await tracker.createLink('link_7', { slug: 'round', ...to('about') });
    await tracker.createLink('link_8', { slug: 'about', ...to('round'), iosUrl: LATER });
    for (const slug of ['round', 'about']) {
      const { statusCode, headers, body } = await ask(`/${slug}`);
      expect([statusCode, headers.location]).toEqual([508, undefined]);
      expect(body).toContain('leads back to itself');
    }
    expect((await ask('/about', { agent: IPHONE })).headers.location).toBe(LATER);
    expect((await ask('/round', { agent: IPHONE })).statusCode).toBe(508);
    expect([await recorded('LinkClicked', 'link_7'), await recorded('HitJudgedBot', 'link_7')]).toEqual([[], []]);
  });

  it('name a visitor by a hash that is the same in all links of an organization for a day', async () => {
    const other = '81.2.69.160';
    for (const address of [undefined, other])
      for (const slug of ['sale', 'pictured', 'elsewhere'])
        await ask(`/${slug}?utm_source=visit`, address === undefined ? {} : { address });
    const idsOf = async (linkId: string) =>
      (await recorded<LinkClicked>('LinkClicked', linkId))
        .filter(({ data }) => data.utm?.source === 'visit')
        .map(({ data }) => data.visitorId);
    await waitUntil(async () => (await idsOf('link_6')).length === 2);
    const sale = await idsOf('link_1');
    const pictured = await idsOf('link_5');
    const elsewhere = await idsOf('link_6');
    expect(sale.toSorted()).toEqual(pictured.toSorted());
    expect(new Set([...sale, ...elsewhere]).size).toBe(4);
  });

  it('are answered from memory while the log takes no click, which is recorded later', async () => {
    const log = tracker.app.get<IntakeLog>(INTAKE_LOG);
    const send = log.send.bind(log);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(log, 'send').mockImplementation((hits) => held.then(() => send(hits)));
    for (let n = 0; n < 5; n++) expect((await ask('/sale?utm_source=slow')).statusCode).toBe(302);
    const slow = async () =>
      (await recorded<LinkClicked>('LinkClicked', 'link_1')).filter(({ data }) => data.utm?.source === 'slow');
    expect(await slow()).toEqual([]);
    release();
    await waitUntil(async () => (await slow()).length >= 5);
    expect(await slow()).toHaveLength(5);
    jest.restoreAllMocks();
  });

  it('lead to a new target by themselves soon after the change', async () => {
    await ask('/plain');
    const link = tracker.app.get(LinkLookup).cached('plain')!;
    const details = omit(link, 'id', 'createdBy', 'createdAt', 'updatedAt', 'revision');
    const targetUrl = 'https://example.com/changed';
    const data = { ...details, linkId: 'link_4', targetUrl, before: { targetUrl: link.targetUrl } };
    await tracker.store.append('org_1-link-link_4', 0, [
      { id: randomUUID(), type: 'LinkUpdated', data: JSON.parse(JSON.stringify(data)) as JsonObject, metadata: {} },
    ]);
    await waitUntil(async () => (await ask('/plain', { method: 'HEAD' })).headers.location === targetUrl);
  });

  it('are never found under the names of routes and of what crawlers ask for', async () => {
    const segments = routesOf(tracker.app).map((route) => /^\S+ \/([^/]*)/.exec(route)?.[1] ?? '');
    const routes = new Set(segments.filter((name) => /^[a-z]/.test(name)));
    expect([...routes]).toEqual(expect.arrayContaining(['track', 'batch', 'identify', 'health']));
    const crawlers = ['robots.txt', 'favicon.ico', '.well-known', 'sitemap.xml'];
    for (const slug of [...routes, ...crawlers]) await tracker.createLink(`link_of_${slug}`, { slug });
    for (const name of [...routes, ...crawlers, '.well-known/security.txt'])
      expect([name, (await ask(`/${name}`)).statusCode]).not.toEqual([name, 302]);
    for (const name of crawlers) expect([name, (await ask(`/${name}`)).statusCode]).toEqual([name, 404]);
  });
});
