import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { Link } from '@ledgerline/contracts/records';
import { takeClick } from '@ledgerline/domain/links/click-id';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { UNSEEN } from '@test/tracker/unseen';
import { waitUntil } from '@test/wait-until';
import { BROWSER } from '../../../../scripts/supervisor/screen';
import { destinationOf } from './redirect.controller';

const SALE = 'https://example.com/sale';

describe('a redirect', () => {
  let tracker: RunningTracker;
  let links = 0;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    await tracker.registerWebsite('site_2', { organizationId: 'org_2', domain: 'other.example' });
    await tracker.app.get(LiveRegistry).catchUp();
  });
  afterAll(() => tracker.stop());

  const newLink = async (details: Partial<Parameters<RunningTracker['createLink']>[1]>): Promise<string> => {
    const slug = `s${++links}`;
    await tracker.createLink(`link_${slug}`, { slug, ...details });
    return slug;
  };

  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    const answer = await tracker.app.inject({
      method,
      url: `/${path}`,
      headers: { 'user-agent': BROWSER, ...headers },
    });
    expect(answer.statusCode).toBe(302);
    return String(answer.headers.location);
  };

  const clicksOf = async (slug: string): Promise<readonly LinkClicked[]> =>
    (await tracker.recorded()).filter(
      (event): event is LinkClicked => event.type === 'LinkClicked' && event.data.linkId === `link_${slug}`,
    );

  it.each([SALE, 'https://www.EXAMPLE.com.:8443/a?q=%E4&b#top', 'http://partner.org/'])(
    'to a page of the organization names the click that is recorded: %s',
    async (targetUrl) => {
      const slug = await newLink({ targetUrl });
      const { address, click } = takeClick(await ask(slug));
      expect([address, click?.linkId]).toEqual([new URL(targetUrl).href, `link_${slug}`]);
      const [clicked] = await waitUntil(
        () => clicksOf(slug),
        ({ length }) => length > 0,
      );
      expect(clicked?.id).toBe(click?.id);
    },
  );

  it('names each click by its own id, in the place of another one', async () => {
    const slug = await newLink({ targetUrl: `${SALE}?ll_click=old` });
    const found = [await ask(slug), await ask(`${slug}?ll_click=other&x=1`)].map(takeClick);
    expect(found.map(({ address }) => address)).toEqual([SALE, `${SALE}?x=1`]);
    const clicks = await waitUntil(
      () => clicksOf(slug),
      ({ length }) => length === 2,
    );
    expect(clicks.map(({ id }) => id).toSorted()).toEqual(found.map(({ click }) => click?.id).toSorted());
  });

  it('of a link that tracks no visits leaves the address as it is', async () => {
    const slug = await newLink({ trackVisits: false });
    expect(await ask(`${slug}?ll_click=other`)).toBe(SALE);
  });

  it.each(['https://other.example/', 'https://sub.partner.org/', 'https://example.com.evil.org/', 'market://x'])(
    'that leads elsewhere names none: %s',
    async (targetUrl) => expect(await ask(await newLink({ targetUrl }))).toBe(targetUrl),
  );

  it('whose click is not recorded names none', async () => {
    const slug = await newLink({});
    const late = await newLink({ expiresAt: '2020-01-01T00:00:00Z', expiredRedirectUrl: SALE });
    const answers = [await ask(slug, {}, 'HEAD'), await ask(slug, { 'user-agent': 'curl/8.5.0' }), await ask(late)];
    for (const purpose of UNSEEN) answers.push(await ask(slug, purpose));
    expect(new Set(answers)).toEqual(new Set([SALE]));
  });

  it('leads to the pages that are websites by then', async () => {
    const slug = await newLink({ targetUrl: 'https://new.example/' });
    expect(await ask(slug)).toBe('https://new.example/');
    await tracker.registerWebsite('site_3', { domain: 'new.example' });
    await waitUntil(async () => takeClick(await ask(slug)).click !== undefined);
    await tracker.deleteWebsite('site_3');
    await waitUntil(async () => (await ask(slug)) === 'https://new.example/');
  });
});

describe('the destination of a click', () => {
  const click = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', linkId: 'link_1' };
  const NAMED = `ll_click=${click.id}-1`;

  it.each([
    ['https://a.org/?q=1#top', 'b=2', `https://a.org/?q=1&b=2&${NAMED}#top`],
    ['https://A.org.:8443/', '', `https://a.org.:8443/?${NAMED}`],
    ['https://a.org/?ll_click=old', 'll%5Fclick=other&b', `https://a.org/?b&${NAMED}`],
    ['https://a.org/größe?q=%E4&', '', `https://a.org/gr%C3%B6%C3%9Fe?q=%E4&&${NAMED}`],
    ['https://b.org/?q=1', 'll_click=other&b', 'https://b.org/?q=1&b'],
    ['https://b.org/?ll_click=own', 'll_click=other', 'https://b.org/?ll_click=own'],
    ['market://a.org/x', '', 'market://a.org/x'],
  ])('%s with ?%s names the click to a.org alone', (target, query, destination) =>
    expect(
      destinationOf({ ...LINK, targetUrl: target }, null, query, { ...click, isNamedTo: (host) => host === 'a.org' }),
    ).toBe(destination),
  );
});

const LINK = { iosUrl: null, androidUrl: null } as Link;
