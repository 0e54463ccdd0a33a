import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { CombinedLine } from './combined-line';

/** Why a line is no page view; each is one row of the final table. */
export const SKIP_REASONS = {
  unparseable: 'not in the combined format',
  common: 'common format: no user agents',
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
const EARLIEST = Date.UTC(2000, 0, 1);
const HOUR_MS = 3_600_000;

/** Why a line is no page view; null = it is one. */
export function skipReason({ method, status, target, userAgent, at }: CombinedLine, now: number): SkipReason | null {
  const [, query = ''] = split(target, '?');
  if (method !== 'GET') return 'method';
  if (status !== 200 && status !== 304) return 'status';
  if (fileType(target) !== null) return 'file';
  if (FEED.test(query)) return 'feed';
  if (userAgent === null) return 'no_user_agent';
  if (bots.memo(userAgent)) return 'bot';
  if (at < EARLIEST || at > now + HOUR_MS) return 'time';
  return null;
}

/** The ending of a target that is a file and no page, in lower case; null for a page, whatever else it ends with. */
export function fileType(target: string): string | null {
  const [path = ''] = split(target, '?');
  const [, ending = ''] = /\.([^./]*)$/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return FILE_TYPES.has(ending.toLowerCase()) ? ending.toLowerCase() : null;
}

function split(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
