import puppeteer, { type Browser } from 'puppeteer-core';
import { BROWSER } from '../../scripts/supervisor/screen';
import { CHROMIUM, CHROMIUM_FLAGS, WITH_SCROLLBARS } from '../../tools/pictures/chromium';

/** Few processes that draw without a graphics card: half the time of a page's load. */
const LEAN = [
  ...CHROMIUM_FLAGS,
  '--no-zygote',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  '--disable-extensions',
  '--force-prefers-reduced-motion',
];

/**
 * Runs the tests in a real browser, or says loudly that there is none (CHROME_PATH names one). A test that fails is
 * printed and run once more: on a busy machine a browser is late at times.
 */
export const describeInChromium = (name: string, tests: () => void): void => {
  jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
  if (CHROMIUM !== undefined) describe(name, tests);
  else it.skip(`${name}: SKIPPED, as there is no Chromium (set CHROME_PATH)`, () => undefined);
};

/**
 * A headless browser with the user agent of a person's. `hosts` are resolved to this machine, all others are not
 * resolved at all: a page that needs the network fails.
 */
export function openChromium(hosts: readonly string[] = []): Promise<Browser> {
  const rules = [
    ...hosts.map((host) => `MAP ${host} 127.0.0.1`),
    'MAP * ~NOTFOUND',
    'EXCLUDE 127.0.0.1',
    'EXCLUDE localhost',
  ];
  const args = [...LEAN, `--user-agent=${BROWSER}`, `--host-resolver-rules=${rules.join(', ')}`];
  return puppeteer.launch({ executablePath: CHROMIUM, headless: true, args, ...WITH_SCROLLBARS });
}
