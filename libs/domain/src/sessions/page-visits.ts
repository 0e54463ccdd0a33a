import { REPORT_BASE } from '@ledgerline/contracts/read-models/encodings';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Session, SessionHit } from './session';

/** A stay of a session on a page, as far as leaves and engagement spans report it; -1 = unknown. */
interface PageVisit {
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

/** What a leave or an engagement span reports of a page view, beside its time on page. */
export interface PageReport {
  /** Percent; null = not reported. */
  readonly scrollDepth: number | null;
  /** null = not reported. */
  readonly interactions: number | null;
}

/** More do not fit into an integer column beside the scroll depth. */
const MAX_INTERACTIONS = 200_000;

/** Both as one integer, which a hit holds as its text; 0 = neither is reported. */
export function packReport({ scrollDepth, interactions }: PageReport): number {
  const scrolled = scrollDepth === null ? 0 : Math.round(Math.min(Math.max(scrollDepth, 0), 100) * 100) + 1;
  const acted = interactions === null ? 0 : Math.min(Math.max(interactions, 0), MAX_INTERACTIONS) + 1;
  return acted * REPORT_BASE + scrolled;
}

/** Hundredths of a percent; -1 = not reported. */
export const scrollOf = (packed: number): number => (packed % REPORT_BASE) - 1;

/** -1 = not reported. */
export const interactionsOf = (packed: number): number => Math.floor(packed / REPORT_BASE) - 1;
