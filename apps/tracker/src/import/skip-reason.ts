import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { PageAddress } from '@ledgerline/contracts/events/observed-events';
import { EARLIEST_TIME, MAX_AHEAD_MS } from '@ledgerline/contracts/intake-limits';
import type { LoggedRequest } from './formats/logged-request';

/** Why a line is no page view; each is one row of the final table. */
export const SKIP_REASONS = {
  unparseable: 'in no known format',
  agents_not_logged: 'user agents are not logged',
  message: 'messages of the server',
  method: 'other methods than GET',
  status: 'other statuses than 200 and 304',
  host: 'other virtual hosts',
  file: 'images, scripts and other files',
  feed: 'feeds',
  no_user_agent: 'no user agent',
  bot: 'bots',
  time: 'before 2000 or in the future',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

/** Endings of what is no page: images, fonts, styles, scripts, media, archives, programs, feeds and data. */
const FILE_TYPES = new Set(
  (
    'css js mjs map json xml rss atom txt csv ico png jpg jpeg gif svg webp avif bmp woff woff2 ttf otf eot mp3 mp4 m4a ' +
    'webm ogg wav avi mov zip gz tgz bz2 xz 7z rar tar jar war exe dmg pkg deb rpm iso pdf doc docx xls xlsx ppt pptx ' +
    'swf wasm log conf py rb c h cpp java sh sql yml yaml md'
  ).split(' '),
);
const FEED = /(^|&)(flav=(rss20|atom)|feed=)/;
/** By isbot alone: an import of the same file gives the same page views whatever rules of our own there are. */
const bots = new LRUCache<string, boolean>({ max: 10_000, memoMethod: (userAgent) => isbot(userAgent.slice(0, 2048)) });

/** Why a line is no page view of the page that its target names; null = it is one, if there is such a page. */
export function skipReason(
  { method, status, userAgent, at }: LoggedRequest,
  page: Pick<PageAddress, 'path' | 'query'> | null,
  now: number,
): SkipReason | null {
  if (userAgent === undefined) return 'agents_not_logged';
  if (method !== 'GET') return 'method';
  if (status !== 200 && status !== 304) return 'status';
  if (page && fileType(page.path) !== null) return 'file';
  if (FEED.test(page?.query ?? '')) return 'feed';
  if (userAgent === null) return 'no_user_agent';
  if (bots.memo(userAgent)) return 'bot';
  if (at < EARLIEST_TIME || at > now + MAX_AHEAD_MS) return 'time';
  return null;
}

/** The ending of a path that is a file and no page, in lower case; null for a page, whatever else it ends with. */
export function fileType(path: string): string | null {
  const [, ending = ''] = /\.([^./]*)$/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return FILE_TYPES.has(ending.toLowerCase()) ? ending.toLowerCase() : null;
}
