import { readPage } from '../../parse/page';
import { bad, type Payload } from './payload';
import { itemSchema, number, payloadOf } from './schema';
import { cleanText } from '../../parse/text';

interface PageLeave {
  readonly path: string;
  readonly time_on_page?: number | null;
  readonly scroll_depth?: number | null;
  readonly interaction_count?: number | null;
}

const check = itemSchema<PageLeave>(
  { path: { type: 'string' }, time_on_page: number, scroll_depth: number, interaction_count: number },
  ['path'],
);

/** Somebody left a page. @throws BadItem */
export function readPageLeave(item: unknown): Payload {
  const raw = check(item);
  const page = readPage(cleanText(raw.path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  const interactions = within(raw.interaction_count, 1_000_000);
  const data = {
    ...page,
    timeOnPage: within(raw.time_on_page, 86_400),
    scrollDepth: within(raw.scroll_depth, 100),
    interactions: interactions === null ? null : Math.round(interactions),
  };
  return payloadOf('page_exit', raw, { type: 'PageLeft', data });
}

/** Clamped to what is possible; null for what is unknown or negative. */
export const within = (value: number | null | undefined, max: number): number | null =>
  value === null || value === undefined || value < 0 ? null : Math.min(value, max);
