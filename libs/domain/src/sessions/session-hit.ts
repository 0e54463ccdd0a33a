import { REPORT_BYTES } from '@ledgerline/contracts/events/event-id';
import { HIT } from '@ledgerline/contracts/read-models/sessions';

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
