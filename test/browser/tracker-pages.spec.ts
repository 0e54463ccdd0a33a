import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { TrackedSite } from './tracked-site';

jest.setTimeout(120_000);

const SCRIPT = '<script defer src="/tracker.js" data-website-id="site_1"></script>';
const page = (head: string, body = '') => `<!doctype html><title>Shop</title>${head}<h1>Shop</h1>${body}`;

const PAGES = {
  '/ahead': page(
    `${SCRIPT}<script type="speculationrules">{"prerender":[{"source":"list","urls":["/rendered"]}]}</script>`,
    '<a id="on" href="/rendered">On</a>',
  ),
  '/rendered': page(`${SCRIPT}<script defer src="/early.js"></script>`),
  '/early.js': `window.wasAhead = document.prerendering;
    ledgerline.track('early');
    setTimeout(() => fetch('/after-a-while'), 400)`,
  '/after-a-while': '',
  '/twice': page(SCRIPT + SCRIPT.replace('defer', 'type="module"')),
  '/module': page(SCRIPT.replace('defer', 'type="module"')),
  '/both': page(SCRIPT + SCRIPT.replace('site_1', 'site_2')),
};

describeInChromium('a page with the script', () => {
  let site: TrackedSite;
  beforeAll(async () => void (site = await TrackedSite.open(PAGES)));
  afterAll(() => site.close());

  it('is counted when somebody sees it, not when it is rendered ahead', async () => {
    const ahead = await site.openPage('/ahead');
    await waitUntil(() => site.requested.includes('/after-a-while'));
    expect(await viewsOf('/rendered')).toBe(0);
    await Promise.all([ahead.waitForNavigation(), ahead.click('#on')]);
    await waitUntil(async () => (await viewsOf('/rendered')) > 0);
    expect(await ahead.evaluate('wasAhead')).toBe(true);
    await waitUntil(async () => (await site.rows('custom_events')).length > 0);
    expect(await site.rows('custom_events')).toMatchObject([{ name: 'early', total_events: 1 }]);
    expect(await viewsOf('/rendered')).toBe(1);
    await ahead.close();
  });

  it('is counted once however often the script is there', async () => {
    const twice = await site.openPage('/twice');
    await twice.addScriptTag({ content: inject });
    await waitUntil(async () => (await viewsOf('/twice')) > 0);
    await twice.evaluate("ledgerline.track('once')");
    await waitUntil(async () => (await named('once')) > 0);
    await seconds(0.5);
    expect([await viewsOf('/twice'), await named('once')]).toEqual([1, 1]);
    await twice.close();
  });

  it('is counted where the script is a module', async () => {
    const module = await site.openPage('/module');
    await waitUntil(async () => (await viewsOf('/module')) > 0);
    await module.close();
  });

  it('is counted for each of two websites, as is what it tracks', async () => {
    const both = await site.openPage('/both');
    await both.evaluate("ledgerline.track('for both')");
    for (const id of ['site_1', 'site_2']) {
      await waitUntil(async () => (await viewsOf('/both', id)) > 0);
      await waitUntil(async () => (await named('for both', id)) > 0);
      expect([await viewsOf('/both', id), await named('for both', id)]).toEqual([1, 1]);
    }
    await both.close();
  });

  const viewsOf = async (path: string, websiteId = 'site_1') =>
    (await site.recorded()).filter(
      ({ type, data }) => type === 'PageViewed' && data.path === path && data.websiteId === websiteId,
    ).length;

  const named = async (name: string, websiteId = 'site_1') =>
    (await site.recorded()).filter(
      ({ type, data }) => type === 'CustomEventTracked' && data.name === name && data.websiteId === websiteId,
    ).length;
});

const inject = `for (const type of ['', 'module']) {
  const script = Object.assign(document.createElement('script'), { src: '/tracker.js', type });
  script.dataset.websiteId = 'site_1';
  document.head.append(script);
}`;

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
