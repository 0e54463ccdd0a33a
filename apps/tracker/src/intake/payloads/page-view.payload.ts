import { isZone } from '@ledgerline/domain/time/zones';
import { readPage, readReferrer, readUtm } from '../../parse/page';
import { bad, type Payload } from './payload';
import { itemSchema, payloadOf, text } from './schema';
import { cleanText } from '../../parse/text';

interface PageView {
  readonly path: string;
  readonly title?: string | null;
  readonly referrer?: string | null;
  readonly language?: string | null;
  readonly timezone?: string | null;
  readonly screen_resolution?: string | null;
  readonly viewport_size?: string | null;
  readonly utm_source?: string | null;
  readonly utm_medium?: string | null;
  readonly utm_campaign?: string | null;
  readonly utm_term?: string | null;
  readonly utm_content?: string | null;
}

const check = itemSchema<PageView>(
  {
    path: { type: 'string' },
    title: text,
    referrer: text,
    language: text,
    timezone: text,
    screen_resolution: text,
    viewport_size: text,
    utm_source: text,
    utm_medium: text,
    utm_campaign: text,
    utm_term: text,
    utm_content: text,
  },
  ['path'],
);

/** Somebody saw a page. @throws BadItem */
export function readPageView(item: unknown): Payload {
  const raw = check(item);
  const page = readPage(cleanText(raw.path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  const data = {
    host: page.host,
    path: page.path,
    query: page.query,
    title: cleanText(raw.title, 2048),
    referrer: readReferrer(cleanText(raw.referrer, 2048)),
    utm: readUtm(raw, page.query),
    language: matching(cleanText(raw.language, 64), /^[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8})*$/),
    timezone: zone(cleanText(raw.timezone, 64)),
    screen: matching(cleanText(raw.screen_resolution, 32), SIZE),
    viewport: matching(cleanText(raw.viewport_size, 32), SIZE),
  };
  return payloadOf('screen_view', raw, { type: 'PageViewed', data });
}

const SIZE = /^\d{1,5}x\d{1,5}$/;

const matching = (value: string | null, pattern: RegExp) => (value !== null && pattern.test(value) ? value : null);

const zone = (name: string | null) => (name !== null && isZone(name) ? name : null);
