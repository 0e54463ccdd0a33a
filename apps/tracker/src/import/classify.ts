import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { CombinedLine } from './combined-line';

/** Why a line is no page view; each is one row of the final table. */
export const SKIP_REASONS = {
  unparseable: 'not in the combined format',
  common: 'common format: no user agents',
  method: 'other methods than GET',
  status: 'other statuses than 200 and 304',
  file: 'images, scripts and other files',
  feed: 'feeds',
  no_user_agent: 'no user agent',
  bot: 'bots',
  time: 'before 2000 or in the future',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

const PAGE_EXTENSIONS = new Set(['html', 'htm', 'xhtml', 'php', 'asp', 'aspx', 'jsp']);
const FEED = /(^|&)(flav=(rss20|atom)|feed=)/;
/** By isbot alone: an import of the same file gives the same page views whatever rules of our own there are. */
const bots = new LRUCache<string, boolean>({ max: 10_000, memoMethod: (userAgent) => isbot(userAgent.slice(0, 2048)) });
const EARLIEST = Date.UTC(2000, 0, 1);
const HOUR_MS = 3_600_000;

/** Why a line is no page view; null = it is one. */
export function skipReason({ method, status, target, userAgent, at }: CombinedLine, now: number): SkipReason | null {
  const [path = '', query = ''] = split(target, '?');
  if (method !== 'GET') return 'method';
  if (status !== 200 && status !== 304) return 'status';
  if (!isPage(path)) return 'file';
  if (FEED.test(query)) return 'feed';
  if (userAgent === null) return 'no_user_agent';
  if (bots.memo(userAgent)) return 'bot';
  if (at < EARLIEST || at > now + HOUR_MS) return 'time';
  return null;
}

/** Its last segment has no extension, or one of a page. */
function isPage(path: string): boolean {
  const [, extension = ''] = /\.([^./]*)$/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return extension === '' || PAGE_EXTENSIONS.has(extension.toLowerCase());
}

function split(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
