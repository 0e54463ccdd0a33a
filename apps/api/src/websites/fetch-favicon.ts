import { parseUrl } from '@ledgerline/contracts/parse-url';
import { fetchBeginning, type GuardOptions } from '@ledgerline/platform/outbound/guarded-fetch';
import { readPageHead, type PageHead } from '@ledgerline/platform/outbound/page-head';

export interface Favicon {
  /** A media type of `RASTER_TYPES`. */
  readonly type: string;
  readonly image: Buffer;
}

/** How images begin that hold nothing but pixels: SVG could hold scripts, and what a server says of its type is no matter. */
const SIGNATURES: readonly (readonly [type: string, signature: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['image/x-icon', /^\0\0\x01\0/],
];

export const RASTER_TYPES = SIGNATURES.map(([type]) => type);

const MAX_PAGE_BYTES = 256 * 1024;
const MAX_ICON_BYTES = 100 * 1024;
const MAX_CANDIDATES = 3;

/** The icon that a page names, or that of its host; undefined where none is a raster image of at most 100 KB. */
export async function fetchFavicon(
  address: string,
  guard: GuardOptions,
  signal: AbortSignal,
): Promise<Favicon | undefined> {
  const page = await fetchBeginning(address, guard, { maxBytes: MAX_PAGE_BYTES, signal }).catch(() => undefined);
  for (const candidate of iconsOf(readPageHead(page), page?.url ?? new URL(address))) {
    const limits = { maxBytes: MAX_ICON_BYTES, signal };
    const file = await fetchBeginning(candidate, guard, limits).catch(() => undefined); // why not is no matter
    const type = file?.isWhole ? typeOf(file.bytes) : undefined;
    if (file && type !== undefined) return { type, image: file.bytes };
  }
  return undefined;
}

function typeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 16);
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}

/** Where icons may be: first those that the page names, by how near their size is to that of a mark. */
function iconsOf({ links }: PageHead, page: URL): readonly string[] {
  const named = links
    .map(({ rel = '', href = '', sizes = '', type = '' }) => ({ rel, href, type, distance: distanceOf(rel, sizes) }))
    .filter(({ rel, type }) => /(^|\s)(apple-touch-)?icon(\s|$)/i.test(rel) && !/svg/i.test(type))
    .sort((one, other) => one.distance - other.distance)
    .map(({ href }) => parseUrl(href, page))
    .filter((url) => url !== null && /^https?:$/.test(url.protocol) && !/\.svg$/i.test(url.pathname))
    .map(String);
  return [...new Set([...named.slice(0, MAX_CANDIDATES), new URL('/favicon.ico', page).href])];
}

/** Of a mark on a screen with two pixels for each of CSS. */
const WANTED_PIXELS = 48;

function distanceOf(rel: string, sizes: string): number {
  const usual = /apple/i.test(rel) ? 180 : 32;
  const pixels = [...sizes.matchAll(/(\d{1,4})x\d/gi)].map(([, width]) => Number(width));
  return Math.min(...(pixels.length > 0 ? pixels : [usual]).map((each) => Math.abs(each - WANTED_PIXELS)));
}
