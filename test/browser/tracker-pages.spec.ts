import type { Page } from 'puppeteer-core';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { TrackedSite } from './tracked-site';

jest.setTimeout(120_000);

const SCRIPT = '<script defer src="/tracker.js" data-website-id="site_1"></script>';
const page = (head: string, body = '') => `<!doctype html><title>Shop</title>${head}<h1>Shop</h1>${body}`;

/** Seconds pass twenty times as fast for the script. */
const FAST = '<script>{ const now = performance.now.bind(performance); performance.now = () => 20 * now() }</script>';

const PAGES = {
  '/read': page(FAST + SCRIPT.replace('site_1', 'site_3')),
  '/next': page(FAST + SCRIPT),
  '/kept': page(`${FAST + SCRIPT}<script>onpageshow = ({ persisted }) => (window.wasKept = persisted)</script>`),
  '/away': page(''),
  '/shifting': page(SCRIPT, '<div id="top"></div><p>Text that moves</p>'),
  '/ahead': page(
    `${SCRIPT}<script type="speculationrules">{"prerender":[{"source":"list","urls":["/rendered"]}]}</script>`,
    '<a id="on" href="/rendered">On</a>',
  ),
  '/rendered': page(`${SCRIPT}<script defer src="/early.js"></script>`),
  '/early.js': `ledgerline.track('early', { ahead: document.prerendering });
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
    await ahead.evaluate("setTimeout(() => document.querySelector('#on').click(), 50); void 0");
    await waitUntil(async () => (await viewsOf('/rendered')) > 0);
    await waitUntil(async () => (await named('early')) > 0);
    const early = (await site.recorded()).filter(({ type }) => type === 'CustomEventTracked');
    expect(early).toMatchObject([{ data: { name: 'early', properties: { ahead: true } } }]);
    expect(await viewsOf('/rendered')).toBe(1);
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

  it('that is hidden and then killed was read for so long', async () => {
    const read = await site.openPage('/read');
    await seconds(0.8);
    await hide(read);
    await waitUntil(async () => (await of('EngagementMeasured', '/read')).length === 1);
    await crash(read);
    expect(await site.rows('summary_metrics', 'site_3')).toMatchObject([{ pageviews: 1, sessions: 1, bounce_rate: 0 }]);
    const [read15] = await site.rows('page_time_analysis', 'site_3');
    expect(read15!['median_time_on_page']).toBeGreaterThan(15);
  });

  it('reports again what grew while it was seen, and counts that once', async () => {
    const next = await site.openPage('/next');
    await seconds(0.3);
    await hide(next);
    await waitUntil(async () => (await of('EngagementMeasured', '/next')).length === 1);
    await show(next);
    await seconds(0.3);
    await hide(next);
    await waitUntil(async () => (await of('EngagementMeasured', '/next')).length === 2);
    await seconds(0.5); // nobody sees it
    await next.close();
    const [first, last] = (await of('EngagementMeasured', '/next')).map((data) => Number(data['timeOnPage']));
    expect(last).toBeGreaterThan(first! + 5);
    expect(await of('EngagementMeasured', '/next')).toHaveLength(2);
    const [times] = (await site.rows('page_time_analysis')).filter(({ name }) => name === '/next');
    expect(times).toMatchObject({ sessions_with_time: 1 });
    expect(Number(times!['median_time_on_page']) / last!).toBeCloseTo(1, 1);
  });

  it('is viewed and read anew where the browser had kept it', async () => {
    const kept = await site.openPage('/kept');
    await seconds(0.4);
    await kept.goto(site.address('/away'));
    await kept.goBack();
    await kept.waitForFunction('window.wasKept');
    await seconds(0.2);
    await hide(kept);
    await waitUntil(async () => (await of('EngagementMeasured', '/kept')).length === 2);
    await kept.close();
    expect(await viewsOf('/kept')).toBe(2);
    const reports = (await site.recorded()).filter(
      ({ type, data }) => type === 'EngagementMeasured' && data.path === '/kept',
    );
    expect(new Set(reports.map(({ id }) => id.slice(0, 19))).size).toBe(2); // none replaces the other
  });

  it('gives one sample of each vital, its last value', async () => {
    const shifting = await site.openPage('/shifting');
    for (const height of [100, 250, 420]) {
      await shifting.evaluate(`document.querySelector('#top').style.height = '${height}px'`);
      await seconds(0.3);
      await hide(shifting);
      await show(shifting);
    }
    await shifting.close();
    const sent = (await of('VitalMeasured', '/shifting')).filter((data) => data['metric'] === 'CLS');
    expect(sent.length).toBeGreaterThan(1);
    const rows = (await site.rows('vitals_by_page')).filter(({ page: path }) => path === '/shifting');
    const [cls] = rows.filter(({ metric_name: metric }) => metric === 'CLS');
    const greatest = Math.max(...sent.map((data) => Number(data['value'])));
    expect(cls).toMatchObject({ samples: 1 });
    expect(Number(cls!['p50']) / greatest).toBeCloseTo(1, 1);
    for (const { samples } of rows) expect(samples).toBe(1);
  });

  const of = async (type: string, path: string): Promise<readonly Data[]> =>
    (await site.recorded())
      .filter((event) => event.type === type && 'path' in event.data && event.data.path === path)
      .map(({ data }) => data as unknown as Data); // whatever the type

  /** Another tab is looked at. */
  const hide = async (hidden: Page) => {
    await site.browser.newPage();
    await hidden.waitForFunction('document.hidden');
  };
  const show = async (shown: Page) => {
    await shown.bringToFront();
    await shown.waitForFunction('!document.hidden');
  };

  /** Its process ends, and nothing in it is told so. */
  const crash = async (killed: Page) => {
    const session = await killed.createCDPSession();
    const gone = new Promise((resolve) => killed.once('error', resolve));
    void session.send('Page.crash').catch(() => undefined); // it is never answered
    await gone;
  };

  const viewsOf = async (path: string, websiteId = 'site_1') =>
    (await site.recorded()).filter(
      ({ type, data }) => type === 'PageViewed' && data.path === path && data.websiteId === websiteId,
    ).length;

  const named = async (name: string, websiteId = 'site_1') =>
    (await site.recorded()).filter(
      ({ type, data }) => type === 'CustomEventTracked' && data.name === name && data.websiteId === websiteId,
    ).length;
});

type Data = Readonly<Record<string, unknown>>;

const inject = `for (const type of ['', 'module']) {
  const script = Object.assign(document.createElement('script'), { src: '/tracker.js', type });
  script.dataset.websiteId = 'site_1';
  document.head.append(script);
}`;

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
