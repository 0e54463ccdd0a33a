import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { customEventPageUsers, errorPageUsers } from '@ledgerline/contracts/read-models/page-events';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { ENGAGED, engagedSessions, engagedVisitors } from '@ledgerline/contracts/read-models/website-engagement';
import { affectedSessions, errorUsers } from '@ledgerline/contracts/read-models/website-errors';
import * as models from '@ledgerline/contracts/read-models/website-events';
import type { Distinct } from '@ledgerline/contracts/read-models/distinct';
import { activityAround, byDay, type Activity } from '@ledgerline/domain/sessions/activity';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { pageVisitsOf, type PageVisit } from '@ledgerline/domain/sessions/page-visits';
import { scrollRange } from '@ledgerline/domain/sessions/scroll-ranges';
import type { Session } from '@ledgerline/domain/sessions/session';
import { changedValues } from './dimensions.projections';
import { distinctIntoBlocks } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

/** What is counted, and the values that a session has on which days. */
interface DistinctCount {
  readonly builds: Distinct;
  readonly count: 'visitors' | 'sessions';
  readonly activityOf: (session: Session, input: RollupInput) => readonly Activity[];
}

const COUNTS: readonly DistinctCount[] = [
  { builds: models.customEventUsers, count: 'visitors', activityOf: ofHits(HIT.custom, textOf, EVERY_VALUE) },
  { builds: customEventPageUsers, count: 'visitors', activityOf: ofHits(HIT.custom, pathOf) },
  { builds: errorPageUsers, count: 'visitors', activityOf: ofHits(HIT.error, pathOf) },
  { builds: errorUsers, count: 'visitors', activityOf: ofHits(HIT.error, typeOf, EVERY_VALUE) },
  { builds: affectedSessions, count: 'sessions', activityOf: ofHits(HIT.error, () => EVERY_VALUE) },
  { builds: models.customEventSessions, count: 'sessions', activityOf: ofHits(HIT.custom, textOf) },
  { builds: models.outboundLinkUsers, count: 'visitors', activityOf: ofHits(HIT.outgoing, textOf) },
  { builds: models.outboundLinkSessions, count: 'sessions', activityOf: ofHits(HIT.outgoing, textOf) },
  { builds: models.outboundDomainUsers, count: 'visitors', activityOf: ofHits(HIT.outgoing, domainOf) },
  { builds: engagedSessions, count: 'sessions', activityOf: pageVisitActivity(engagementOf) },
  { builds: engagedVisitors, count: 'visitors', activityOf: pageVisitActivity(scrollingOf) },
];

export const DISTINCT_COUNTS: readonly Rollup[] = COUNTS.map((counted) =>
  rollup(
    counted.builds,
    (input, add) => {
      const count = counted.count === 'visitors' ? visitorActivity : sessionActivity;
      for (const activities of count(input, counted)) {
        for (const { value, day, previousDay: previous_day } of byDay(activities, input.window)) {
          add({ website: input.website, span: 1, day, value, previous_day, distinct_count: 1 });
        }
      }
    },
    distinctIntoBlocks(['distinct_count']),
  ),
);

/** One list for the visitor; hits without a visitor count for none. */
function visitorActivity(input: RollupInput, { activityOf }: DistinctCount): readonly (readonly Activity[])[] {
  if (input.visitor === null) return [];
  const changing = changedValues(input, (session) => activityOf(session, input).map(({ value }) => value));
  const activities = activityAround(input, changing, ({ session }, emit) => {
    for (const { value, day } of activityOf(session, input)) emit(value, day, 0, 0);
  });
  return [activities];
}

/** One list for each session, with page views or without; hits in no session count for none. */
const sessionActivity = (input: RollupInput, { activityOf }: DistinctCount): readonly (readonly Activity[])[] =>
  input.near
    .filter(({ session }) => session.kind !== SESSION_KIND.none)
    .map(({ session }) => activityOf(session, input));

const activityOn = (day: number, value: number): Activity => ({ value, day, pageviews: 0, sessions: 0 });

function textOf(hit: SessionHit): number {
  return hit.text;
}

function pathOf(hit: SessionHit): number {
  return hit.path;
}

/** Of an error. */
function typeOf(hit: SessionHit): number {
  return hit.extra;
}

function domainOf(hit: SessionHit, input: RollupInput): number {
  return input.domainOf(hit.text);
}

/** By a value of each hit of a kind, and by one that all of them have. */
function ofHits(
  kind: typeof HIT.custom | typeof HIT.outgoing | typeof HIT.error,
  valueOf: (hit: SessionHit, input: RollupInput) => number,
  ...always: readonly number[]
): DistinctCount['activityOf'] {
  return (session, input) => {
    if (!mayHave(kind, session)) return [];
    const hits = session.hits.filter((hit) => hit.kind === kind);
    return hits.flatMap((hit) => {
      const day = input.calendar.day(hit.at);
      return [valueOf(hit, input), ...always].map((value) => activityOn(day, value));
    });
  };
}

/** Without its hits, which may not be decoded yet. */
function mayHave(kind: number, { customEvents, outgoingLinks }: Session): boolean {
  if (kind === HIT.custom) return customEvents > 0;
  return kind !== HIT.outgoing || outgoingLinks > 0;
}

function pageVisitActivity(valuesOf: (visit: PageVisit) => readonly number[]): DistinctCount['activityOf'] {
  return (session, { calendar }) =>
    pageVisitsOf(session).flatMap((visit) => valuesOf(visit).map((value) => activityOn(calendar.day(visit.at), value)));
}

function engagementOf(visit: PageVisit): readonly number[] {
  return [ENGAGED.reported, ...(visit.interactions > 0 ? [ENGAGED.interactive] : []), ...scrollingOf(visit)];
}

function scrollingOf({ scroll }: PageVisit): readonly number[] {
  return scroll < 0 ? [] : [ENGAGED.scrolled, scrollRange(scroll)];
}
