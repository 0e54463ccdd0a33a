import type { JsonObject } from '@ledgerline/contracts/json';

const FIELDS = ['email', 'name', 'card number'];
const TARGETS = ['button.buy', 'img.hero', 'a.more'];

/** What an engagement span tells of somebody who was so long on a page and scrolled so far, by its names on the wire. */
export function spanOf({ seconds, depth }: { readonly seconds: number; readonly depth: number }): JsonObject {
  const [scrollCount, clickCount, keyCount] = [depth % 9, depth % 7, depth % 5 === 0 ? 12 : 0];
  const span: Record<string, string | number> = {
    pageIndex: 1,
    exitType: 'navigation',
    activeTime: seconds / 2,
    timeToFirstInteraction: 300 + 40 * depth,
    maxScrollDepth: depth,
    scrollCount,
    clickCount,
    keyCount,
    interactionCount: scrollCount + clickCount + keyCount,
    rageClickCount: depth % 23 === 0 ? 1 : 0,
    deadClickCount: depth % 11 === 0 ? 2 : 0,
    formFieldCount: depth % 3 === 0 ? 4 : 0,
    formSubmitCount: depth % 6 === 0 ? 1 : 0,
  };
  if (depth % 23 === 0) span['rageClickTarget'] = TARGETS[depth % 2] ?? '';
  if (depth % 11 === 0) span['deadClickTarget'] = TARGETS[depth % 3] ?? '';
  if (depth % 3 === 0) span['lastFormField'] = FIELDS[(depth / 3) % 3] ?? '';
  return span;
}
