import type { Visitor, WebsiteScene } from './website-scene';

const DAY_MS = 86_400_000;

/** Yesterday (UTC), which is over. */
export const SHOP_DAY = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

const at = (hour: number, second = 0, day = 0): number =>
  Date.parse(`${SHOP_DAY}T00:00:00Z`) + day * DAY_MS + hour * 3_600_000 + second * 1_000;

const chrome = (n: number): Visitor => ({
  userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${120 + n}.0.0.0 Safari/537.36`,
  address: n % 2 === 0 ? '8.8.8.8' : '91.10.0.1',
});

export const FIREFOX: Visitor = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  address: '91.10.0.1',
};

const view = (who: string, path: string, timestamp: number, more: object = {}) => ({
  name: 'screen_view',
  anonymousId: who,
  sessionId: `session-${who}-${new Date(timestamp).getUTCDate()}`,
  path,
  timestamp,
  ...more,
});

/** A day with twelve visitors of 61 pages, with all that pages report, and the day before with one. */
export async function sendShopVisits(scene: WebsiteScene): Promise<void> {
  for (let n = 0; n < 11; n++) {
    const paths = ['/', ...Array.from({ length: 6 }, (_, page) => `/page-${(n * 5 + page) % 60}`)];
    const referrer = n % 3 === 0 ? 'https://www.google.com/' : 'https://blog.example/';
    const views = paths.map((path, place) => view(`v${n}`, path, at(n, place * 20), { referrer, language: 'de-DE' }));
    await scene.send('/batch', chrome(n), [...views, ...eventsOf(`v${n}`, n)]);
  }
  const firefox = ['/', '/only-firefox', '/', '/checkout', '/', '/checkout', '/thanks'];
  await scene.send(
    '/batch',
    FIREFOX,
    firefox.map((path, place) => view('fox', path, at(12, place * 30))),
  );
  await scene.send('/batch', chrome(0), [view('v0', '/', at(9, 0, -1))]);
  await scene.send('/errors', FIREFOX, [
    {
      anonymousId: 'fox',
      sessionId: view('fox', '/', at(12)).sessionId,
      path: '/checkout',
      timestamp: at(12, 95),
      message: 'x is not a function',
      errorType: 'TypeError',
      stack: 'TypeError: x\n at https://example.com/app.js:1:1',
      filename: 'https://example.com/app.js',
      lineno: 1,
      colno: 1,
    },
  ]);
  await scene.send('/vitals', FIREFOX, [
    {
      anonymousId: 'fox',
      sessionId: view('fox', '/', at(12)).sessionId,
      path: '/',
      timestamp: at(12, 3),
      metricName: 'LCP',
      metricValue: 1_840,
    },
    {
      anonymousId: 'fox',
      sessionId: view('fox', '/', at(12)).sessionId,
      path: '/',
      timestamp: at(12, 4),
      metricName: 'CLS',
      metricValue: 0.31,
    },
  ]);
  await scene.project();
}

const eventsOf = (who: string, hour: number) => {
  const common = { anonymousId: who, sessionId: view(who, '/', at(hour)).sessionId, path: '/page-1' };
  return [
    { ...common, name: 'order_paid', properties: { plan: 'team', amount: 25 }, timestamp: at(hour, 130) },
    {
      ...common,
      name: 'page_exit',
      path: '/',
      time_on_page: 18,
      scroll_depth: 60,
      interaction_count: 3,
      timestamp: at(hour, 19),
    },
    {
      ...common,
      type: 'outgoing_link',
      href: 'https://elsewhere.example/docs',
      text: 'Docs',
      timestamp: at(hour, 140),
    },
  ];
};
