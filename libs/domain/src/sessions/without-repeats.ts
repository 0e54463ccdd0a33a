import { inOrder, type SessionHit } from './session-hit';
import type { Session } from './session';

/**
 * Those arrivals of a visitor that are in no session yet, each once. The intake log stores an event again that is sent
 * again after days; it has the time and the id of the first one, which stays as it is.
 */
export function withoutRepeats<A extends { readonly hit: SessionHit }>(
  sessions: readonly Session[],
  arrivals: readonly A[],
): readonly A[] {
  const near = sessions.filter(spans(arrivals));
  const seen = new Set<string>();
  return arrivals.filter(({ hit }) => {
    const key = `${hit.at} ${hit.id}`;
    if (seen.has(key) || near.some((session) => holds(session, hit))) return false;
    seen.add(key);
    return true;
  });
}

/** Whether a session reaches into the time of these arrivals; hits of others need not be read. */
function spans(arrivals: readonly { readonly hit: SessionHit }[]): (session: Session) => boolean {
  const since = arrivals.reduce((at, { hit }) => Math.min(at, hit.at), Infinity);
  const until = arrivals.reduce((at, { hit }) => Math.max(at, hit.at), -Infinity);
  return ({ firstAt, lastAt }) => lastAt >= since && firstAt <= until;
}

function holds(session: Session, hit: SessionHit): boolean {
  if (hit.at < session.firstAt || hit.at > session.lastAt) return false;
  const { hits } = session;
  let [low, high] = [0, hits.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const order = inOrder(hits[middle] as SessionHit, hit); // within its bounds
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
