import puppeteer, { type Browser } from 'puppeteer-core';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../pictures/chromium';
import type { Subjects } from '../../traffic/observe';
import { count, ms, times, type Figure } from '../figure';
import { signUpViewer, type Cookie } from '../installation/viewer';
import type { Loaded } from '../loaded';
import { quantile } from '../statistics';
import type { Part } from './part';

const DAY_MS = 86_400_000;
const DAYS = 30;
const STARTS = 5;
const LIMIT_MS = 500;
/** The figures, the chart and six lists. */
const IS_COMPLETE = `document.querySelector('.figure-value') && document.querySelector('.chart-plot canvas')
  && document.querySelectorAll('.query-panels :is(tbody, .no-rows)').length === 6 && !document.querySelector('.skeleton')`;
/** Notes when the page is complete first, in ms since it was requested. */
const CLOCK = `(function look() {
  if (document.body && ${IS_COMPLETE}) window.completeAfter = performance.now();
  else requestAnimationFrame(look);
})()`;

/** The times that dashboards took from their request until they were complete: milliseconds. */
interface Took {
  readonly large: readonly number[];
  /** A tenth of the events. */
  readonly small: readonly number[];
}

/**
 * P19: the dashboard of the large website in a browser that has nothing of the console, by an api that answered about
 * the small website before.
 */
export const consoleDashboard: Part = async ({ loaded, print, detail }) => {
  if (CHROMIUM === undefined) {
    print('console: NOT MEASURED, as there is no Chromium: install one, or name it in CHROME_PATH');
    return [];
  }
  const all = await loaded();
  const browser = await puppeteer.launch({ executablePath: CHROMIUM, headless: true, args: CHROMIUM_FLAGS });
  try {
    const took = await measure(all, browser);
    detail('console', took);
    return [figure(took, all.events.large)];
  } finally {
    await browser.close();
  }
};

async function measure({ installation, plan, ...websites }: Loaded, browser: Browser): Promise<Took> {
  const took: Record<'large' | 'small', number[]> = { large: [], small: [] };
  let cookies: readonly Cookie[] | undefined;
  while (took.large.length < STARTS) {
    const api = await installation.start('api');
    try {
      const viewer = (cookies ??= await signUpViewer(installation, api.url));
      const dashboardOf = ({ organizationId, websiteId }: Subjects) =>
        complete(
          browser,
          `${api.url}/console/organizations/${organizationId}/websites/${websiteId}${range(plan.end)}`,
          viewer,
        );
      await dashboardOf(websites.small);
      took.small.push(await dashboardOf(websites.small));
      took.large.push(await dashboardOf(websites.large));
    } finally {
      await api.stop();
    }
  }
  return took;
}

/** The last days of the traffic, which the console compares with those before. */
const range = (end: number): string => `?from=${dayOf(end - (DAYS - 1) * DAY_MS)}&to=${dayOf(end)}`;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns how long a page takes from its request until it is complete, with an empty cache: milliseconds. */
async function complete(browser: Browser, url: string, cookies: readonly Cookie[]): Promise<number> {
  const context = await browser.createBrowserContext();
  try {
    await context.setCookie(...cookies.map((cookie) => ({ ...cookie, domain: new URL(url).hostname })));
    const page = await context.newPage();
    await page.setViewport({ width: 1_280, height: 900 });
    await page.evaluateOnNewDocument(CLOCK);
    await page.goto(url);
    await page.waitForFunction('window.completeAfter !== undefined');
    return Number(await page.evaluate('window.completeAfter'));
  } finally {
    await context.close();
  }
}

function figure({ large, small }: Took, events: number): Figure {
  const p50 = quantile(large, 0.5);
  const yardstick = quantile(small, 0.5);
  return {
    id: 'P19',
    what: `First dashboard of the console in Chromium, ${count(events)} events, ${DAYS} days compared, warm api`,
    target: `p50 ≤ ${ms(LIMIT_MS)}`,
    measured: `p50 ${ms(p50)}, most ${ms(Math.max(...large))} of ${large.length}`,
    yardstick: `a tenth of the events, asked before: p50 ${ms(yardstick)}`,
    ratio: times(p50 / yardstick),
    isMet: p50 <= LIMIT_MS,
  };
}
