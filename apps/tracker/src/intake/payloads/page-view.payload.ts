import { normalLanguage } from '@ledgerline/domain/normal-forms';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { readReferrer, readUtm } from '../../parse/page';
import { cleanText } from '../../parse/text';
import { each, itemSchema, requiredText, text } from './fields';
import type { Payload } from './payload';
import { payloadOf, requiredPage } from './values';

const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

const check = itemSchema({
  path: requiredText,
  title: text,
  referrer: text,
  language: text,
  timezone: text,
  screen_resolution: text,
  viewport_size: text,
  ...each(UTM, text),
});

/** A visitor saw a page. @throws BadItem */
export function readPageView(item: unknown): Payload {
  const raw = check(item);
  const page = requiredPage(raw.path);
  const language = cleanText(raw.language, 64);
  const data = {
    host: page.host,
    path: page.path,
    query: page.query,
    title: cleanText(raw.title, 2048),
    referrer: readReferrer(cleanText(raw.referrer, 2048)),
    utm: readUtm(raw, page.query),
    language: matching(language && normalLanguage(language), /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/),
    timezone: zone(cleanText(raw.timezone, 64)),
    screen: matching(cleanText(raw.screen_resolution, 32), SIZE),
    viewport: matching(cleanText(raw.viewport_size, 32), SIZE),
  };
  return payloadOf('screen_view', raw, { type: 'PageViewed', data });
}

const SIZE = /^\d{1,5}x\d{1,5}$/;

const matching = (value: string | null, pattern: RegExp) => (value !== null && pattern.test(value) ? value : null);

const zone = (name: string | null) => (name === null ? null : (supportedZone(name) ?? null));
