import type { Json } from '@ledgerline/contracts/json';
import { cleanText } from '../../parse/text';
import { each, itemSchema, number, requiredText, revision, text } from './fields';
import type { Payload } from './payload';
import { payloadOf, requiredPage, wholeWithin, within } from './values';

const DAY_S = 86_400;

/** The most each measure can be: seconds, milliseconds, percent. */
const MEASURES = { activeTime: DAY_S, timeToFirstInteraction: DAY_S * 1000, maxScrollDepth: 100 } as const;

const COUNTS = [
  'pageIndex',
  'scrollCount',
  'clickCount',
  'keyCount',
  'interactionCount',
  'copyCount',
  'rageClickCount',
  'deadClickCount',
  'formFieldCount',
  'formSubmitCount',
  'errorCount',
] as const;
const MAX_COUNT = 1_000_000;

/** The longest each text can be. */
const TEXTS = { exitType: 256, rageClickTarget: 2048, deadClickTarget: 2048, lastFormField: 256 } as const;

const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

const check = itemSchema({
  path: requiredText,
  timeOnPage: number,
  revision,
  ...each(namesOf(MEASURES), number),
  ...each(COUNTS, number),
  ...each(namesOf(TEXTS), text),
});

/** What a visitor did on a page until its view ended. @throws BadItem */
export function readEngagementSpan(item: unknown): Payload {
  const raw = check(item);
  const { path } = requiredPage(raw.path);
  const data = { path, timeOnPage: within(raw.timeOnPage, DAY_S), span: spanOf(raw) };
  return payloadOf('engagement', raw, { type: 'EngagementMeasured', data });
}

/** The fields that have a value, by the names of the wire. */
function spanOf(raw: ReturnType<typeof check>): Record<string, Json> {
  const span: Record<string, Json> = {};
  const keep = (name: string, value: Json) => {
    if (value !== null) span[name] = value;
  };
  for (const name of namesOf(MEASURES)) keep(name, within(raw[name], MEASURES[name]));
  for (const name of COUNTS) keep(name, wholeWithin(raw[name], MAX_COUNT));
  for (const name of namesOf(TEXTS)) keep(name, cleanText(raw[name], TEXTS[name]));
  return span;
}
