import { itemSchema, number, requiredText } from './fields';
import type { Payload } from './payload';
import { payloadOf, requiredPage, wholeWithin, within } from './values';

const check = itemSchema({
  path: requiredText,
  time_on_page: number,
  scroll_depth: number,
  interaction_count: number,
});

/** A visitor left a page. @throws BadItem */
export function readPageLeave(item: unknown): Payload {
  const raw = check(item);
  const data = {
    ...requiredPage(raw.path),
    timeOnPage: within(raw.time_on_page, 86_400),
    scrollDepth: within(raw.scroll_depth, 100),
    interactions: wholeWithin(raw.interaction_count, 1_000_000),
  };
  return payloadOf('page_exit', raw, { type: 'PageLeft', data });
}
