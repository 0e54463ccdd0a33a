import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, PageViewed, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { PART } from '@ledgerline/contracts/read-models/words';
import { sourceOfReferrer } from '@ledgerline/domain/referrers/source-of';
import type { Arrival } from '@ledgerline/domain/sessions/add-hits';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Attributes } from '@ledgerline/domain/sessions/session';
import type { Dictionary } from './words';

/** The word ids of one website: its own number, and those of its strings. */
export interface WebsiteWords {
  readonly website: number;
  readonly word: (text: string | null | undefined) => number;
}

export const wordsOf = (dictionary: Dictionary, websiteId: string): WebsiteWords =>
  wordsOfScope(dictionary, dictionary.website(websiteId));

export const wordsOfScope = (dictionary: Dictionary, website: number): WebsiteWords => ({
  website,
  word: (text) => dictionary.word(website, text),
});

type Part = Pick<Hit, 'kind' | 'path' | 'word' | 'more'>;

/** What each type of event is inside a session; having an entry is the subscription. */
const PARTS: {
  readonly [Type in WebsiteObservedEvent['type']]: (
    event: Extract<WebsiteObservedEvent, { type: Type }>,
    words: WebsiteWords,
  ) => Part;
} = {
  PageViewed: ({ data }, { word }) => ({ kind: HIT.view, path: word(data.path), word: word(data.query), more: 0 }),
  PageLeft: ({ data }, { word }) => ({
    kind: HIT.leave,
    path: word(data.path),
    word: 0,
    more: milliseconds(data.timeOnPage),
  }),
  CustomEventTracked: ({ data }, { word }) => ({
    kind: HIT.custom,
    path: word(data.path),
    word: word(data.name),
    more: data.properties && Object.keys(data.properties).length > 0 ? 1 : 0,
  }),
  OutgoingLinkClicked: ({ data }, { word }) => ({
    kind: HIT.outgoing,
    path: word(data.path),
    word: word(data.href),
    more: word(data.text),
  }),
  ErrorRecorded: ({ data }, { word }) => ({
    kind: HIT.error,
    path: word(data.path),
    word: word(data.message),
    more: 0,
  }),
  VitalMeasured: ({ data }, { word }) => ({ kind: HIT.vital, path: word(data.path), word: word(data.metric), more: 0 }),
  EngagementMeasured: ({ data }, { word }) => ({
    kind: HIT.engagement,
    path: word(data.path),
    word: 0,
    more: milliseconds(data.timeOnPage),
  }),
};

export const HIT_TYPES = Object.keys(PARTS) as readonly WebsiteObservedEvent['type'][];

export type WebsiteEvent = WebsiteObservedEvent & { readonly data: { readonly websiteId: string } };

/** True for what belongs to a website; an event of the whole organization does not. */
export const isWebsiteEvent = (event: ObservedEvent): event is WebsiteEvent =>
  event.type in PARTS && (event as WebsiteObservedEvent).data.websiteId !== null;

export function readHit(event: WebsiteEvent, words: WebsiteWords): Arrival {
  // the entry of a type takes the events of that type, which the compiler cannot tell of a union
  const partOf = PARTS[event.type] as (event: WebsiteEvent, words: WebsiteWords) => Part;
  const { kind, path, word, more } = partOf(event, words);
  return {
    hit: { at: event.at, id: decodeEventId(event.id).toString('hex'), kind, path, word, more },
    session: event.data.sessionId,
    attributes: event.type === 'PageViewed' ? attributesOf(event, words) : undefined,
  };
}

function attributesOf({ data }: PageViewed, { word }: WebsiteWords): Attributes {
  const { country, region, city, browser, utm } = data;
  return {
    referrer: word(sourceOfReferrer(data.referrer).domain),
    utm_source: word(utm?.source),
    utm_medium: word(utm?.medium),
    utm_campaign: word(utm?.campaign),
    utm_term: word(utm?.term),
    utm_content: word(utm?.content),
    country: word(country),
    region: word(region && `${country ?? ''}${PART}${region}`),
    city: word(city && `${country ?? ''}${PART}${city}`),
    language: word(data.language),
    timezone: word(data.timezone),
    device_type: word(data.device),
    browser_name: word(browser),
    browser_version: word(browser && `${browser}${PART}${data.browserVersion ?? ''}`),
    os_name: word(data.os),
    screen: word(data.screen),
  };
}

/** As an integer column holds them; -1 = unknown. */
const milliseconds = (seconds: number | null) =>
  seconds === null ? -1 : Math.min(Math.max(Math.round(seconds * 1000), 0), 0x7fffffff);
