import type { Json } from '@ledgerline/contracts/json';
import { readPage } from '../../parse/page';
import { within } from './page-leave.payload';
import { bad, type Payload } from './payload';
import { itemSchema, number, payloadOf, text } from './schema';
import { cleanText } from '../../parse/text';

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

type Numbers = Partial<Record<'timeOnPage' | keyof typeof MEASURES | (typeof COUNTS)[number], number | null>>;
type Texts = Partial<Record<keyof typeof TEXTS, string | null>>;
type EngagementSpan = Readonly<{ path: string } & Numbers & Texts>;

const all = (names: readonly string[], type: object) => Object.fromEntries(names.map((name) => [name, type]));

const check = itemSchema<EngagementSpan>(
  {
    path: { type: 'string' },
    ...all(['timeOnPage', ...Object.keys(MEASURES), ...COUNTS], number),
    ...all(Object.keys(TEXTS), text),
  },
  ['path'],
);

/** What somebody did on a page until its view ended. @throws BadItem */
export function readEngagementSpan(item: unknown): Payload {
  const raw = check(item);
  const page = readPage(cleanText(raw.path, 2048) ?? '/');
  if (page === null) throw bad('path', 'must be an http(s) URL or a pathname');
  const data = { path: page.path, timeOnPage: within(raw.timeOnPage, DAY_S), span: spanOf(raw) };
  return payloadOf('engagement', raw, { type: 'EngagementMeasured', data });
}

/** Only what is known, by the names of the wire. */
function spanOf(raw: EngagementSpan): Record<string, Json> {
  const span: Record<string, Json> = {};
  const keep = (name: string, value: Json) => {
    if (value !== null) span[name] = value;
  };
  for (const name of namesOf(MEASURES)) keep(name, within(raw[name], MEASURES[name]));
  for (const name of COUNTS) keep(name, rounded(within(raw[name], MAX_COUNT)));
  for (const name of namesOf(TEXTS)) keep(name, cleanText(raw[name], TEXTS[name]));
  return span;
}

const namesOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[];

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));
