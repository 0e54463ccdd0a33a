import { source } from 'axe-core';
import type { Page } from 'puppeteer-core';

/** The rules of axe on which the size of the screen and its colours can have a bearing. */
export const RULES_OF_LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/** The sizes of targets are not looked at otherwise. */
const WITH_TARGETS = { rules: { 'target-size': { enabled: true } } };

interface Scope {
  /** All of WCAG 2.2 AA and of good practice without it. */
  readonly rules?: readonly string[];
  /** Selectors of what is left out. */
  readonly exclude?: readonly string[];
}

/** Every violation that axe finds in the page: the rule, the element, and what is wrong with it. */
export async function violationsIn(page: Page, { rules, exclude = [] }: Scope = {}): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  const rulesToRun = rules === undefined ? WITH_TARGETS : { runOnly: rules };
  const options = { resultTypes: ['violations'], preload: false, ...rulesToRun };
  return (await page.evaluate(
    `axe.run(${JSON.stringify({ exclude })}, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(' '))))`,
  )) as string[];
}

/** Returns how far the page is wider than its window, in pixels. */
export const overflowOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));
