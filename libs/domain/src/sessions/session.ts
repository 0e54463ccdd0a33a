import type { SessionAttribute } from '@ledgerline/contracts/attributes';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { REPORT_BYTES } from '@ledgerline/contracts/events/event-id';

/** What a session inherits from its first page view; columns of the read model `sessions`, as text ids. */
export type Attributes = Readonly<Record<SessionAttribute, number>>;

export type SessionKind = (typeof SESSION_KIND)[keyof typeof SESSION_KIND];

/** A session and everything that follows from its hits (docs/definitions.md). */
export interface Session {
  /** 32 hex digits. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Sorted, at least one. */
  readonly hits: readonly SessionHit[];
  /** Of the first page view; undefined without one. */
  readonly attributes: Attributes | undefined;
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

/** The session of these hits, which must be in order. */
export function sessionOf(
  id: string,
  kind: SessionKind,
  hits: readonly SessionHit[],
  attributes: Attributes | undefined,
): Session {
  const counts = [0, 0, 0, 0, 0, 0, 0, 0];
  let entry: SessionHit | undefined;
  let exit = -1;
  for (const [at, hit] of hits.entries()) {
    counts[hit.kind] = (counts[hit.kind] ?? 0) + 1;
    if (hit.kind !== HIT.view) continue;
    entry ??= hit;
    exit = at;
  }
  const [, pageviews = 0, , customEvents = 0, outgoingLinks = 0] = counts;
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
    if (hit.kind === HIT.leave || hit.kind === HIT.engagement) longest = Math.max(longest, hit.extra);
  }
  return longest;
}

/** One event of a website inside a session; kind, text and extra as in `HIT` of the read model `sessions`. */
export interface SessionHit {
  /** Epoch ms. */
  readonly at: number;
  /** 32 hex digits, which sort like the event's id. */
  readonly id: string;
  readonly kind: number;
  readonly path: number;
  readonly text: number;
  readonly extra: number;
}

/** The order of events everywhere: by time, then by id. */
export const inOrder = (a: SessionHit, b: SessionHit): number =>
  a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Kinds of hits that report what goes on: a client may report the same again, with an id that is greater. */
const REVISED: ReadonlySet<number> = new Set([HIT.vital, HIT.engagement]);

/**
 * Those hits of a session that a later revision of the same report replaces: they stay in the session, as they show that
 * the visitor was there, but what they report does not count.
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

/** The same revision may have been sent at two times. */
const byRevision = (a: SessionHit, b: SessionHit): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.at - b.at);
