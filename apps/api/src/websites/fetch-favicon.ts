import { Parser } from 'htmlparser2';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { fetchBeginning, type GuardOptions } from '@ledgerline/platform/outbound/guarded-fetch';
import { readPageHead, type PageHead } from '@ledgerline/platform/outbound/page-head';

export interface Favicon {
  /** A media type of `ICON_TYPES`. */
  readonly type: string;
  readonly image: Buffer;
}

/** The first bytes of images that hold nothing but pixels; what a server says of its type is no matter. */
const SIGNATURES: readonly (readonly [type: string, signature: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['image/x-icon', /^\0\0\x01\0/],
];

/** It may hold scripts, and addresses of others. */
const SVG = 'image/svg+xml';

export const ICON_TYPES = [...SIGNATURES.map(([type]) => type), SVG];

/** The content security policy of an icon as a document of its own: nothing in it runs or is loaded. */
export const ICON_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

const MAX_PAGE_BYTES = 256 * 1024;
const MAX_ICON_BYTES = 100 * 1024;
const MAX_CANDIDATES = 3;

/** The icon that a page names, or that of its host; undefined where none is an image of at most 100 KB. */
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
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0] ?? (isSvg(bytes) ? SVG : undefined);
}

/** By its first element, which a declaration, a document type and comments may precede. */
function isSvg(bytes: Buffer): boolean {
  let root: string | undefined;
  const onopentagname = (name: string) => {
    root = name;
    parser.pause();
  };
  const parser = new Parser({ onopentagname }, { xmlMode: true });
  parser.write(bytes.toString());
  return /^(\w+:)?svg$/.test(root ?? '');
}

/** Where icons may be: first those that the page names, by how near their size is to that of a mark. */
function iconsOf({ base = '', links }: PageHead, page: URL): readonly string[] {
  const from = parseUrl(base, page) ?? page;
  const named = links
    .filter(({ rel = '' }) => /(^|\s)(apple-touch-)?icon(-precomposed)?(\s|$)/i.test(rel))
    .sort((one, other) => distanceOf(one) - distanceOf(other))
    .map(({ href = '' }) => parseUrl(href, from))
    .filter((url) => url !== null && /^https?:$/.test(url.protocol))
    .map(String);
  const usual = ['/favicon.ico', '/apple-touch-icon.png'].map((path) => new URL(path, page).href);
  return [...new Set([...named.slice(0, MAX_CANDIDATES), ...usual])];
}

/** The size of a mark on a screen with two pixels for each of CSS. */
const WANTED_PIXELS = 48;

/** From that size; SVG has each. */
function distanceOf({ rel = '', href = '', sizes = '', type = '' }: PageHead['links'][number]): number {
  if (/svg/i.test(type + href) || /any/i.test(sizes)) return 0;
  const usual = /apple/i.test(rel) ? 180 : 32;
  const pixels = [...sizes.matchAll(/(\d{1,4})x\d/gi)].map(([, width]) => Number(width));
  return Math.min(...(pixels.length > 0 ? pixels : [usual]).map((each) => Math.abs(each - WANTED_PIXELS)));
}
