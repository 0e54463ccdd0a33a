import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { SessionHit } from './session-hit';

/** What a session inherits from its first page view; columns of the read model `sessions`, as text ids. */
export const ATTRIBUTES = [
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'country',
  'region',
  'city',
  'language',
  'timezone',
  'device_type',
  'browser_name',
  'browser_version',
  'os_name',
  'screen',
] as const;
export type Attribute = (typeof ATTRIBUTES)[number];
export type Attributes = Readonly<Record<Attribute, number>>;

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
