import type { SessionAttribute } from '../attributes';
import { REPORT_BYTES } from '../events/event-id';
import { PART_SEPARATOR } from '../read-models/dictionary';
import { kindsWith, placeOfField, widthOfHit } from '../read-models/event-kinds';
import { GAMMA } from '../read-models/session-days';
import { HIT, SESSION_KIND } from '../read-models/sessions';

/**
 * The attributes that a session inherits from its first page view; columns of the read model `sessions`, as text ids.
 */
export type SessionAttributes = Readonly<Record<SessionAttribute, number>>;

export type SessionKind = (typeof SESSION_KIND)[keyof typeof SESSION_KIND];

/** A session and everything that follows from its hits (docs/definitions.md). */
export interface Session {
  /** 32 hex digits. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Sorted, at least one. */
  readonly hits: readonly SessionHit[];
  /** The attributes of the first page view; undefined without one. */
  readonly attributes: SessionAttributes | undefined;
  /** Epoch ms of the first and the last event of any kind. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Epoch ms of the first page view; null = does not count as a session. */
  readonly enteredAt: number | null;
  readonly pageviews: number;
  readonly customEvents: number;
  readonly outgoingLinks: number;
  readonly bounced: boolean;
  readonly durationMs: number;
  readonly entryPath: number;
  readonly exitPath: number;
}

const BOUNCE_MS = 10_000;

/** The number of hits of each kind, by its number. */
const NO_HITS: readonly number[] = Array.from({ length: 1 + Math.max(...Object.values(HIT)) }, () => 0);

/** The session of these hits, which must be in order. */
export function sessionOf(
  id: string,
  kind: SessionKind,
  hits: readonly SessionHit[],
  attributes: SessionAttributes | undefined,
): Session {
  const counts: number[] = NO_HITS.slice();
  let entry: SessionHit | undefined;
  let exit = -1;
  for (const [at, hit] of hits.entries()) {
    counts[hit.kind] = (counts[hit.kind] ?? 0) + 1;
    if (hit.kind !== HIT.view) continue;
    entry ??= hit;
    exit = at;
  }
  const pageviews = counts[HIT.view] ?? 0;
  const customEvents = counts[HIT.custom] ?? 0;
  const outgoingLinks = counts[HIT.outgoing] ?? 0;
  const firstAt = hits[0]?.at ?? 0;
  const lastAt = hits.at(-1)?.at ?? 0;
  const lastView = hits[exit];
  const timeOnLast = timeOnPage(hits, exit);
  const counted = kind !== SESSION_KIND.none;
  return {
    id,
    kind,
    hits,
    attributes: counted ? attributes : undefined,
    firstAt,
    lastAt,
    enteredAt: counted && entry ? entry.at : null,
    pageviews,
    customEvents,
    outgoingLinks,
    bounced: counted && pageviews === 1 && timeOnLast < BOUNCE_MS && customEvents + outgoingLinks === 0,
    durationMs: Math.max(lastAt, lastView ? lastView.at + timeOnLast : lastAt) - firstAt,
    entryPath: counted && entry ? entry.path : 0,
    exitPath: counted && lastView ? lastView.path : 0,
  };
}

/** Ms on the page of the view at that place, by the leaves and spans of its path before the path's next view; 0 = unknown. */
export function timeOnPage(hits: readonly SessionHit[], place: number): number {
  const view = hits[place];
  if (!view) return 0;
  let longest = 0;
  for (let at = place + 1; at < hits.length; at++) {
    const hit = hits[at];
    if (hit?.path !== view.path) continue;
    if (hit.kind === HIT.view) break;
    if (isReport(hit.kind)) longest = Math.max(longest, hitValue(hit, TIME));
  }
  return longest;
}

const REPORTS: ReadonlySet<number> = new Set(kindsWith(({ isReport: reports }) => reports === true));

/** Returns whether hits of a kind report visits of pages. */
export const isReport = (kind: number): boolean => REPORTS.has(kind);

const TIME = placeOfField('leave', 'time_ms');

/** One event of a website inside a session; its kind is one of `HIT` of the read model `sessions`. */
export interface SessionHit {
  /** Epoch ms. */
  readonly at: number;
  /** 32 hex digits, which sort like the event's id. */
  readonly id: string;
  readonly kind: number;
  /** Text ids. */
  readonly path: number;
  readonly hostname: number;
  /** Holds the fields of its kind, one after the other, from a place on: those of stored sessions share an array. */
  readonly values: { readonly [place: number]: number };
  readonly from: number;
}

type Values = Pick<SessionHit, 'values' | 'from'>;

/** A field of a hit by its place among those of its kind. */
export const hitValue = ({ values, from }: Values, place: number): number => values[from + place] ?? 0;

/** Adds the fields of a hit to others. */
export function addValues(to: number[], { kind, values, from }: Values & Pick<SessionHit, 'kind'>): void {
  for (let at = from, end = from + widthOfHit(kind); at < end; at++) to.push(values[at] ?? 0);
}

/** The link of a click on an outgoing link, as a text id; undefined for other hits. */
export const hrefOf = (hit: Values & Pick<SessionHit, 'kind'>): number | undefined =>
  hit.kind === HIT.outgoing ? hitValue(hit, HREF) : undefined;

const HREF = placeOfField('outgoing', 'href');

/** The order of events everywhere: by time, then by id. */
export const inOrder = (a: SessionHit, b: SessionHit): number =>
  a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Kinds of hits that report what goes on: a client may report the same again, with an id that is greater. */
const REVISED: ReadonlySet<number> = new Set(kindsWith(({ isRevised }) => isRevised === true));

/**
 * Returns the hits of a session that a later revision of the same report replaces: they stay in the session, as they
 * show that the visitor was there, but what they report does not count.
 */
export function supersededIn(hits: readonly SessionHit[]): ReadonlySet<SessionHit> {
  const superseded = new Set<SessionHit>();
  const latest = new Map<string, SessionHit>();
  for (const hit of hits) {
    if (!REVISED.has(hit.kind)) continue;
    const report = hit.id.slice(0, 2 * REPORT_BYTES);
    const other = latest.get(report);
    if (!other || byRevision(other, hit) < 0) latest.set(report, hit);
    if (other) superseded.add(byRevision(other, hit) < 0 ? other : hit);
  }
  return superseded;
}

/** Orders reports by revision; one revision may have been sent at two times. */
const byRevision = (a: SessionHit, b: SessionHit): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.at - b.at);

/** A region or city as read models hold it: its name alone says too little. Null of an unknown one. */
export const placeText = (country: string | null, place: string | null): string | null =>
  place === null || place === '' ? null : `${country ?? ''}${PART_SEPARATOR}${place}`;

/** A version of a browser as read models hold it; null of an unknown browser. */
export const browserVersionText = (browser: string | null, version: string | null): string | null =>
  browser === null || browser === '' ? null : `${browser}${PART_SEPARATOR}${version ?? ''}`;

/** The parts of such a text, '' for one that is missing. */
export function partsOfText(text: string): readonly [first: string, second: string] {
  const [first = '', second = ''] = text.split(PART_SEPARATOR);
  return [first, second];
}

const LOG_GAMMA = Math.log(GAMMA);

/** The bin a duration in ms falls into: 0 for nothing, else (GAMMA^(bin-2), GAMMA^(bin-1)]. */
export const durationBin = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.ceil(Math.log(ms) / LOG_GAMMA - 1e-9) + 1);

/** The duration of a bin in ms, within 1 % of every duration in it. */
export const binValue = (bin: number): number => (bin === 0 ? 0 : (2 * GAMMA ** (bin - 1)) / (GAMMA + 1));

/** The names of the ranges of session durations, in the order they are shown. */
export const DURATION_RANGE_NAMES: readonly string[] = ['0-10s', '10-30s', '30-60s', '1-3m', '3-10m', '10-30m', '30m+'];

/** The place (from 1) of the range that a value lies in, of ranges that begin with these numbers, in ascending order; 0 = none. */
export const rangeOf = (value: number, starts: readonly number[]): number =>
  starts.filter((start) => start <= value).length;

/** The name of the range at a place. */
export const rangeName = (place: number): string | undefined => DURATION_RANGE_NAMES[place - 1];

/** The names of the ranges, in their order. */
export const SCROLL_RANGE_NAMES: readonly string[] = ['0-25%', '25-50%', '50-75%', '75-100%', '100%'];

export const scrollRangeName = (place: number): string => SCROLL_RANGE_NAMES[place - 1] ?? '';

/** The hrefs that were clicked in these sessions. */
export function* clickedIn(sessions: Iterable<Session>): Iterable<number> {
  for (const { outgoingLinks, hits } of sessions) if (outgoingLinks > 0) yield* hrefsOf(hits);
}

export function* hrefsOf(hits: Iterable<SessionHit>): Iterable<number> {
  for (const hit of hits) {
    const href = hrefOf(hit);
    if (href !== undefined) yield href;
  }
}
