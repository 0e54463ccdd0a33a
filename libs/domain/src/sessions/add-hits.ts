import { hash } from 'node:crypto';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  sessionOf,
  type SessionAttributes,
  type Session,
  inOrder,
  type SessionHit,
} from '@ledgerline/contracts/sessions/session';

/** A hit that is to be added to the sessions of its visitor. */
export interface Arrival {
  readonly hit: SessionHit;
  /** The client's session id, 32 hex digits; null = the session follows from gaps. */
  readonly session: string | null;
  /** The attributes that the session inherits if this becomes its first page view. */
  readonly attributes: SessionAttributes | undefined;
}

export const GAP_MS = 30 * 60_000;

/** An id that a visitor sends again is the same event if its time differs by no more; intake moves equal times apart. */
export const REPEAT_MS = 1_000;

/**
 * All sessions of a visitor after these hits arrived, in any order. A session that none of them belongs to stays the
 * same object; a gap session that is joined with a neighbour may be gone. Hits are kept as the objects that arrived;
 * repeats are dropped.
 */
export function addHits(
  visitor: string | null,
  sessions: readonly Session[],
  arrivals: readonly Arrival[],
): readonly Session[] {
  const byClient = new Map<string, Arrival[]>();
  const byGap: Arrival[] = [];
  for (const arrival of withoutRepeats(sessions, arrivals)) {
    if (arrival.session === null) byGap.push(arrival);
    else append(byClient, arrival.session, arrival);
  }
  const isNear = nearTo(byGap);
  const after: Session[] = [];
  for (const session of sessions) {
    const arrived = session.kind === SESSION_KIND.client ? byClient.get(session.id) : undefined;
    if (arrived) {
      after.push(joined(session.id, SESSION_KIND.client, [session, ...arrived.map(asPart)]));
      byClient.delete(session.id);
    } else if (!isNear(session)) after.push(session);
  }
  for (const [id, arrived] of byClient) after.push(joined(id, SESSION_KIND.client, arrived.map(asPart)));
  return byGap.length > 0 ? after.concat(withoutClientId(visitor, sessions.filter(isNear), byGap)) : after;
}

/** Returns whether a gap session may be joined with hits of these times; those in between count as near, too. */
function nearTo(arrivals: readonly Arrival[]): (session: Session) => boolean {
  const since = arrivals.reduce((at, { hit }) => Math.min(at, hit.at), Infinity) - GAP_MS;
  const until = arrivals.reduce((at, { hit }) => Math.max(at, hit.at), -Infinity) + GAP_MS;
  return ({ kind, firstAt, lastAt }) => kind === SESSION_KIND.gap && lastAt >= since && firstAt <= until;
}

/** Hits that stay together, with the attributes of its first page view. */
type Part = Pick<Session, 'hits' | 'attributes'>;

const asPart = ({ hit, attributes }: Arrival): Part => ({ hits: [hit], attributes });

function withoutClientId(visitor: string | null, near: readonly Session[], arrivals: readonly Arrival[]) {
  if (visitor === null) {
    return arrivals.map(({ hit }) => sessionOf(singleEventId(hit), SESSION_KIND.none, [hit], undefined));
  }
  const parts = [...near, ...arrivals.map(asPart)];
  return islands(parts).map((island) => gapSession(visitor, island));
}

/** Groups of parts with at most the gap between neighbours. */
function islands<P extends Part>(parts: readonly P[]): P[][] {
  const sorted = [...parts].sort((a, b) => inOrder(first(a), first(b)));
  const groups: P[][] = [];
  let end = -Infinity;
  for (const part of sorted) {
    const open = first(part).at - end <= GAP_MS ? groups.at(-1) : undefined;
    if (open) open.push(part);
    else groups.push([part]);
    end = Math.max(end, last(part).at);
  }
  return groups;
}

function gapSession(visitor: string, island: readonly (Part | Session)[]): Session {
  const [only] = island;
  if (island.length === 1 && only && 'id' in only) return only;
  const opening = first(island.reduce((a, b) => (inOrder(first(a), first(b)) <= 0 ? a : b)));
  const existing = island.find((part): part is Session => 'id' in part && first(part) === opening);
  return joined(existing?.id ?? gapSessionId(visitor, opening), SESSION_KIND.gap, island);
}

/**
 * The first 128 bits of SHA-256 over `visitorId|id of the first event|its time`, as intake wrote them. The time is part
 * of it because an id may come again with another time, which is another event.
 */
export function gapSessionId(visitor: string, { id, at }: Pick<SessionHit, 'id' | 'at'>): string {
  const eventId = encodeEventId(Buffer.from(id, 'hex'));
  return hash('sha256', `${visitor}|${eventId}|${at}`, 'hex').slice(0, 32);
}

/** Returns what stands for visitor and session of an event that has neither. */
export const singleEventId = (hit: Pick<SessionHit, 'id' | 'at'>): string => gapSessionId('', hit);

function joined(id: string, kind: Session['kind'], parts: readonly Part[]): Session {
  const hits = parts.flatMap((part) => part.hits).sort(inOrder);
  const entry = hits.find(({ kind }) => kind === HIT.view);
  return sessionOf(id, kind, hits, entry && parts.find((part) => part.hits.includes(entry))?.attributes);
}

const first = ({ hits }: Part): SessionHit => hits[0] as SessionHit; // a part has at least one hit
const last = ({ hits }: Part): SessionHit => hits.at(-1) as SessionHit;

function append<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}

/**
 * Returns the arrivals of a visitor, in the order of the log, that are in no session yet, each once. The intake log
 * stores an event again that is sent again after days, perhaps composed differently with others; the first one stays as
 * it is.
 */
function withoutRepeats<A extends { readonly hit: SessionHit }>(
  sessions: readonly Session[],
  arrivals: readonly A[],
): readonly A[] {
  const near = sessions.filter(reaches(arrivals));
  const kept = new RepeatFilter();
  return arrivals.filter(({ hit }) => !near.some((session) => holds(session, hit)) && kept.isNew(hit.id, hit.at));
}

/** Finds events that come again with the same id within {@link REPEAT_MS}; to be asked in the order of the log. */
export class RepeatFilter {
  private readonly times = new Map<string, number[]>();

  /** False for a repeat of one that was new. @param at epoch ms */
  isNew(id: string, at: number): boolean {
    const times = this.times.get(id);
    if (times?.some((other) => Math.abs(other - at) <= REPEAT_MS)) return false;
    if (times) times.push(at);
    else this.times.set(id, [at]);
    return true;
  }
}

/** Returns whether a session reaches into the time of these arrivals; hits of others need not be read. */
function reaches(arrivals: readonly { readonly hit: SessionHit }[]): (session: Session) => boolean {
  const since = arrivals.reduce((at, { hit }) => Math.min(at, hit.at), Infinity) - REPEAT_MS;
  const until = arrivals.reduce((at, { hit }) => Math.max(at, hit.at), -Infinity) + REPEAT_MS;
  return ({ firstAt, lastAt }) => lastAt >= since && firstAt <= until;
}

function holds({ firstAt, lastAt, hits }: Session, { id, at }: SessionHit): boolean {
  const since = at - REPEAT_MS;
  const until = at + REPEAT_MS;
  if (until < firstAt || since > lastAt) return false;
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((hits[middle] as SessionHit).at < since) low = middle + 1; // within its bounds
    else high = middle;
  }
  for (let hit = hits[low]; hit !== undefined && hit.at <= until; hit = hits[++low]) if (hit.id === id) return true;
  return false;
}
