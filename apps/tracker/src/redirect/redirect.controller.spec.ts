import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { Link } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import type { EventStore, ExpectedRevision } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type RunningTracker, startTracker } from '@test/tracker/running-tracker';
import { waitUntil } from '@test/wait-until';
import { EVENT_STORE } from '../tokens';
import { destinationOf, isLinkExpired } from './redirect.controller';

const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';

describe('a short link', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true', LIMIT_REDIRECTS_PER_IP_PER_MINUTE: '9' });
    await tracker.createLink('link_1', { slug: 'sale', iosUrl: 'https://apps.apple.com/x', androidUrl: 'market://x' });
    await tracker.createLink('link_2', { slug: 'over', expiresAt: '2020-01-01T00:00:00Z' });
    await tracker.createLink('link_3', {
      slug: 'moved',
      expiresAt: '2020-01-01T00:00:00Z',
      expiredRedirectUrl: 'https://example.com/later',
    });
    await tracker.createLink('link_5', { slug: 'books', targetUrl: 'https://example.com/bücher' });
    await tracker.createLink('link_6', {
      slug: 'late-books',
      expiresAt: '2020-01-01T00:00:00Z',
      expiredRedirectUrl: 'https://example.com/später',
    });
    await tracker.createLink('link_4', {
      slug: 'shown',
      ogTitle: '<script>alert("1")</script>',
      ogDescription: `'"><img src=x>`,
      ogImageUrl: 'https://example.com/a.png?b="c',
    });
    // into the cache, without a click and without the budget of the other tests
    for (const slug of ['sale', 'over', 'moved', 'books', 'late-books', 'shown'])
      await request(tracker.app.getHttpServer()).head(`/${slug}`).set('x-forwarded-for', '81.2.69.161');
  });
  afterAll(() => tracker.stop());

  const visit = (path: string, userAgent = MAC, method: 'get' | 'head' = 'get') =>
    request(tracker.app.getHttpServer())
      [method](path)
      .redirects(0)
      .set('user-agent', userAgent)
      .set('x-forwarded-for', '81.2.69.142');

  const decide = (stream: string, expected: ExpectedRevision, { type, data }: DecidedEvent) =>
    tracker.store.append(stream, expected, [
      { id: randomUUID(), type, data: JSON.parse(JSON.stringify(data)) as JsonObject, metadata: {} },
    ]);

  const clicks = async (linkId: string) =>
    (await tracker.recorded()).filter(
      (event): event is LinkClicked => event.type === 'LinkClicked' && event.data.linkId === linkId,
    );

  it('leads to its target, and is counted', async () => {
    const answer = await visit('/sale?utm_source=mail&x=1').set('referer', 'https://news.example/today?q=1');
    expect(answer.status).toBe(302);
    expect(answer.headers).toMatchObject({
      location: 'https://example.com/sale?utm_source=mail&x=1',
      'cache-control': 'private, no-cache',
    });
    const [click] = await recorded(() => clicks('link_1'), 1);
    expect(click).toMatchObject({
      data: {
        organizationId: 'org_1',
        linkId: 'link_1',
        visitorId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        country: 'GB',
        city: 'London',
        browser: 'Chrome',
        os: 'Mac OS',
        device: 'desktop',
        referrer: { host: 'news.example', path: '/today', own: false },
        utm: { source: 'mail' },
      },
    });
    expect(JSON.stringify(click)).not.toMatch(/81\.2\.69|Mozilla/);
  });

  it('leads to targets that are not ASCII', async () => {
    const books = await visit('/books');
    const late = await visit('/late-books');
    expect([books.status, books.headers.location]).toEqual([302, 'https://example.com/b%C3%BCcher']);
    expect([late.status, late.headers.location]).toEqual([302, 'https://example.com/sp%C3%A4ter']);
  });

  it('leads phones to their stores', async () => {
    expect((await visit('/sale', IPHONE)).headers.location).toBe('https://apps.apple.com/x');
    expect((await visit('/sale', ANDROID)).headers.location).toBe('market://x');
    await recorded(() => clicks('link_1'), 3);
  });

  it('is not counted for HEAD, for bots, and once it has expired', async () => {
    const before = (await clicks('link_1')).length;
    expect((await visit('/sale', MAC, 'head')).status).toBe(302);
    expect((await visit('/sale', 'curl/8.5.0')).status).toBe(302);
    expect((await visit('/sale', '')).status).toBe(302);
    const expired = await visit('/over');
    expect([expired.status, expired.text.includes('Expired')]).toEqual([410, true]);
    const moved = await visit('/moved');
    expect([moved.status, moved.headers.location]).toEqual([302, 'https://example.com/later']);
    await visit('/sale');
    await recorded(() => clicks('link_1'), before + 1);
    await recorded(async () => (await tracker.recorded()).filter(({ type }) => type === 'HitJudgedBot'), 2);
    expect(await clicks('link_2')).toEqual([]);
    expect(await clicks('link_3')).toEqual([]);
  });

  it('shows itself to social networks, whatever its texts are', async () => {
    const answer = await visit('/shown', 'facebookexternalhit/1.1');
    expect([answer.status, answer.type]).toEqual([200, 'text/html']);
    expect(answer.text).toContain('property="og:title" content="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"');
    expect(answer.text).not.toContain('<script');
    expect(answer.text).not.toContain('<img');
    expect(answer.text).not.toContain('b="c');
  });

  it('has a QR code', async () => {
    const svg = await visit('/sale.svg');
    expect([svg.status, svg.type, (svg.body as Buffer).toString().startsWith('<svg')]).toEqual([
      200,
      'image/svg+xml',
      true,
    ]);
    const png = await visit('/sale.png');
    expect([png.status, png.type, (png.body as Buffer).subarray(1, 4).toString()]).toEqual([200, 'image/png', 'PNG']);
  });

  it('is looked up in the store when it is new, and never taken for unknown while the store is down', async () => {
    await tracker.createLink('link_10', { slug: 'new' });
    expect((await visit('/new')).headers.location).toBe('https://example.com/sale');
    const store = tracker.app.get<EventStore>(EVENT_STORE);
    const down = jest.spyOn(store, 'readStream').mockRejectedValue(new LogUnavailable('away'));
    const answer = await visit('/newer');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    expect((await visit('/new')).status).toBe(302);
    down.mockRestore();
  });

  it('is unknown when nobody made it, or when it can be none', async () => {
    const unknown = await visit('/nothing-here');
    expect([unknown.status, unknown.type]).toEqual([404, 'text/html']);
    expect((await visit('/robots.txt')).status).toBe(404);
    expect((await visit('/favicon.ico')).status).toBe(404);
    expect((await visit('/nothing.svg')).status).toBe(404);
  });

  it('leads nowhere once it is deleted, its slug has changed, or its organization is deleted', async () => {
    const ofOther = { organizationId: 'org_2', slug: 'other' };
    await tracker.createLink('link_7', { slug: 'gone' });
    await tracker.createLink('link_8', { slug: 'former' });
    await tracker.createLink('link_9', ofOther);
    const visitor = (path: string) => visit(path).set('x-forwarded-for', '81.2.69.160');
    for (const path of ['/gone', '/former', '/other']) expect((await visitor(path)).status).toBe(302);
    const link = tracker.app.get(LinkLookup).cached('former')!;
    const former = omit(link, 'id', 'createdBy', 'createdAt', 'updatedAt', 'revision');
    await decide('org_1-link-link_7', 0, {
      type: 'LinkDeleted',
      data: { linkId: 'link_7', organizationId: 'org_1', slug: 'gone', name: 'Spring sale' },
    });
    await decide('org_1-link-link_8', 0, {
      type: 'LinkUpdated',
      data: { ...former, linkId: 'link_8', slug: 'current', before: { slug: 'former' } },
    });
    await decide('org_2-organization-org_2', 'no-stream', {
      type: 'OrganizationDeleted',
      data: { organizationId: 'org_2', name: 'Other' },
    });
    await tracker.app.get(LiveRegistry).catchUp();
    for (const path of ['/gone', '/former', '/other']) expect((await visitor(path)).status).toBe(404);
  });

  it('limits guesses by network of IPv6, with the rest of the budget in headers', async () => {
    const guess = (slug: string, host: string) => visit(slug).set('x-forwarded-for', `2001:db8:1:2::${host}`);
    const left = ({ status, headers }: request.Response) => [
      status,
      headers['x-ratelimit-limit'],
      headers['x-ratelimit-remaining'],
      Number(headers['x-ratelimit-reset']) > 0,
    ];
    expect(left(await guess('/nobodys', '1'))).toEqual([404, '9', '8', true]);
    const store = tracker.app.get<EventStore>(EVENT_STORE);
    const down = jest.spyOn(store, 'readStream').mockRejectedValue(new LogUnavailable('away'));
    expect(left(await guess('/nobodys', '2'))).toEqual([503, '9', '7', true]);
    down.mockRestore();
    for (let n = 7; n > 0; n--) await guess('/nobodys', String(n));
    expect(left(await guess('/nobodys', '3'))).toEqual([429, '9', '0', true]);
  });

  it('may be guessed only so often', async () => {
    const statuses = [];
    for (let n = 0; n < 11; n++) statuses.push((await visit(`/guess-${n}`)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await visit('/sale')).status).toBe(302);
  });
});

async function recorded<T>(read: () => Promise<readonly T[]>, count: number): Promise<readonly T[]> {
  const found = await waitUntil(read, ({ length }) => length >= count);
  expect(found).toHaveLength(count);
  return found;
}

describe('the destination of a link', () => {
  it('is the target, but the store of the phone where there is one', () => {
    const link = linkTo('https://a.org/', { iosUrl: 'https://ios', androidUrl: null });
    expect(destinationOf(link, 'iOS', '')).toBe('https://ios/');
    expect(destinationOf(link, 'Android', '')).toBe('https://a.org/');
    expect(destinationOf(link, null, '')).toBe('https://a.org/');
  });

  it.each([
    ['https://a.org/', 'utm_source=x&y=1', 'https://a.org/?utm_source=x&y=1'],
    ['https://a.org/?q=1#top', 'ref=x&q=2&b=a%20b', 'https://a.org/?q=1&ref=x&b=a%20b#top'],
    ['https://a.org/?utm_campaign=own', 'utm_campaign=x&%75tm_campaign=y', 'https://a.org/?utm_campaign=own'],
    ['https://a.org', '&&flag', 'https://a.org/?flag'],
    [
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b',
      'fbclid=x&flag=1&utm_term=a%26b',
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b&fbclid=x&utm_term=a%26b',
    ],
    ['https://a.org/?#top', 'utm_source=x', 'https://a.org/?utm_source=x#top'],
    ['https://a.org/?q=1&', 'utm_source=x', 'https://a.org/?q=1&utm_source=x'],
    ['market://details?id=a~b', 'id=c&referrer=%E4', 'market://details?id=a~b&referrer=%E4'],
    ['https://bücher.de/größe?für=ü#ß', '', 'https://xn--bcher-kva.de/gr%C3%B6%C3%9Fe?f%C3%BCr=%C3%BC#%C3%9F'],
    ['https://a.org/größe?utm_id=ü', 'utm_id=x', 'https://a.org/gr%C3%B6%C3%9Fe?utm_id=%C3%BC'],
    ['market://größe', '', 'market://gr%C3%B6%C3%9Fe'],
  ])('%s with ?%s', (target, query, destination) =>
    expect(destinationOf(linkTo(target), null, query)).toBe(destination),
  );

  it('keeps its own query string where the link forwards none', () =>
    expect(destinationOf(linkTo('https://a.org/?q=1', { forwardQuery: false }), null, 'b=2')).toBe(
      'https://a.org/?q=1',
    ));

  it('is over from the very moment the link expires', () => {
    const link = { expiresAt: '2026-01-01T00:00:00.000Z' };
    expect(isLinkExpired(link, Date.parse('2025-12-31T23:59:59.999Z'))).toBe(false);
    expect(isLinkExpired(link, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(true);
    expect(isLinkExpired({ expiresAt: null }, Infinity)).toBe(false);
  });
});

function linkTo(targetUrl: string, stores: Partial<Link> = {}): Link {
  return { targetUrl, iosUrl: null, androidUrl: null, ...stores } as Link;
}
