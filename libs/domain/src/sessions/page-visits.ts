import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { SessionHit } from './session-hit';
import { interactionsOf, scrollOf } from './page-report';
import type { Session } from './session';

/** A stay of a session on a page, as far as leaves and engagement spans report it; -1 = unknown. */
export interface PageVisit {
  /** Text id. */
  readonly path: number;
  /** Epoch ms of its page view, without one of its first report. */
  readonly at: number;
  readonly timeMs: number;
  /** Hundredths of a percent. */
  readonly scroll: number;
  readonly interactions: number;
}

/** The visits of pages in a session of which something is reported (docs/definitions.md). */
export const pageVisitsOf = ({ kind, hits }: Session): readonly PageVisit[] =>
  kind === SESSION_KIND.none ? [] : visitsIn(hits);

type OpenVisit = { -readonly [Name in keyof PageVisit]: PageVisit[Name] } & { isReported: boolean };

/** Of the hits of a session, in order. */
export function visitsIn(hits: readonly Omit<SessionHit, 'id'>[]): readonly PageVisit[] {
  const visits: OpenVisit[] = [];
  const open = new Map<number, OpenVisit>();
  for (const { kind, path, at, text, extra } of hits) {
    if (kind !== HIT.view && kind !== HIT.leave && kind !== HIT.engagement) continue;
    let visit = kind === HIT.view ? undefined : open.get(path);
    if (!visit) {
      visit = { path, at, timeMs: -1, scroll: -1, interactions: -1, isReported: false };
      visits.push(visit);
      open.set(path, visit);
    }
    if (kind === HIT.view) continue;
    visit.isReported = true;
    visit.timeMs = Math.max(visit.timeMs, extra);
    visit.scroll = Math.max(visit.scroll, scrollOf(text));
    visit.interactions = Math.max(visit.interactions, interactionsOf(text));
  }
  return visits.filter(({ isReported }) => isReported);
}
