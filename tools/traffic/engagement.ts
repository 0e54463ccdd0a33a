import type { JsonObject } from '@ledgerline/contracts/json';
import type { SitePage } from './pages';

const FIELDS = ['email', 'name', 'card number'];
const TARGETS = ['button.buy', 'img.hero', 'a.more'];

interface Stay {
  readonly page: SitePage;
  readonly seconds: number;
  readonly depth: number;
  /** Seconds; absent: half of the time. */
  readonly active?: number | undefined;
}

/**
 * Returns what an engagement span tells of somebody who was so long on a page and scrolled so far, by its names on the
 * wire.
 */
export function spanOf({ page, seconds, depth, active = seconds / 2 }: Stay): JsonObject {
  const hasForm = page.hasForm ?? true;
  const scrollCount = depth % 9;
  const clickCount = depth % 7;
  const keyCount = depth % 5 === 0 ? 12 : 0;
  const span: Record<string, string | number> = {
    pageIndex: 1,
    exitType: 'navigation',
    activeTime: active,
    timeToFirstInteraction: 300 + 40 * depth,
    maxScrollDepth: depth,
    scrollCount,
    clickCount,
    keyCount,
    interactionCount: scrollCount + clickCount + keyCount,
    rageClickCount: depth % 23 === 0 ? 1 : 0,
    deadClickCount: depth % 11 === 0 ? 2 : 0,
    formFieldCount: hasForm && depth % 3 === 0 ? 4 : 0,
    formSubmitCount: hasForm && depth % 6 === 0 ? 1 : 0,
  };
  if (depth % 23 === 0) span['rageClickTarget'] = TARGETS[depth % 2] ?? '';
  if (depth % 11 === 0) span['deadClickTarget'] = TARGETS[depth % 3] ?? '';
  if (hasForm && depth % 3 === 0) span['lastFormField'] = FIELDS[(depth / 3) % 3] ?? '';
  return span;
}
