import type { LinkClicked, PageLeft, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { TrackedSite } from './tracked-site';

jest.setTimeout(120_000);

const SCRIPT = '<script defer src="/tracker.js" data-website-id="site_1"></script>';
const STATE = "<script>history.replaceState({ kept: 7 }, '')</script>";
const page = (head: string) => `<!doctype html><title>Shop</title>${head}<h1>Shop</h1>`;

const PAGES = {
  '/landing': page(STATE + SCRIPT),
  '/old': page(`<script>Object.defineProperty(window, 'navigation', { value: undefined })</script>${STATE}${SCRIPT}`),
  '/app': page(STATE + SCRIPT.replace('defer', 'defer data-hash')),
};

describeInChromium('a page that a short link leads to', () => {
  let site: TrackedSite;
  beforeAll(async () => {
    site = await TrackedSite.open(PAGES);
  });
  afterAll(() => site.close());

  it.each([
    ['/landing', '?a=b%20c&d#top', '/landing', 'a=b%20c&d'],
    ['/landing', '', '/landing', null],
    ['/old', '?&a=1#/x?y', '/old', '&a=1'],
    ['/app', '?a=1#/bills?b=2', '/app/bills', 'b=2&a=1'],
  ])('is viewed once, with the click, which the address bar shows no more: %s%s', async (file, rest, path, query) => {
    const before = (await views()).length;
    await site.createLink(`go${before}`, `${file}${rest}`);
    const shown = await site.openPage(`/go${before}`);
    await waitUntil(async () => (await views()).length > before);
    expect(shown.url()).toBe(site.address(`${file}${rest}`));
    expect(await shown.evaluate('JSON.stringify([history.state, history.length])')).toBe('[{"kept":7},2]');
    expect(await shown.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);

    await shown.evaluate("history.pushState({}, '', '/next?ll=1')");
    await waitUntil(async () => (await views()).length > before + 1);
    await shown.close();
    const [view, next, ...more] = (await views()).slice(before);
    const [clicked] = await recorded<LinkClicked>('LinkClicked', ({ linkId }) => linkId === `link_go${before}`);
    expect(view!.data).toMatchObject({ path, query, click: { id: clicked!.id, linkId: clicked!.data.linkId } });
    expect(next!.data).toMatchObject({ path: '/next', query: 'll=1' });
    expect([next!.data.click, more]).toEqual([undefined, []]);
    const [left] = await waitUntil(
      () => recorded<PageLeft>('PageLeft', (data) => data.path === path && data.query === query),
      ({ length }) => length > 0,
    );
    expect(left!.data).toMatchObject({ path, query });
  });

  it('keeps what only looks like a click', async () => {
    const before = (await views()).length;
    const shown = await site.openPage('/landing?xll_click=1&b=ll_click#?ll_click');
    await waitUntil(async () => (await views()).length > before);
    expect(shown.url()).toBe(site.address('/landing?xll_click=1&b=ll_click#?ll_click'));
    expect((await views()).at(-1)!.data.query).toBe('xll_click=1&b=ll_click');
    await shown.close();
  });

  const recorded = async <Event extends PageViewed | PageLeft | LinkClicked>(
    type: Event['type'],
    isMeant: (data: Event['data']) => boolean = () => true,
  ): Promise<readonly Event[]> =>
    (await site.recorded()).filter(
      (event): event is Event => event.type === type && isMeant(event.data as Event['data']),
    );
  const views = () => recorded<PageViewed>('PageViewed');
});
