import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import * as models from '@ledgerline/contracts/read-models/website-events';
import type { Distinct } from '@ledgerline/contracts/read-models/website-events';
import { activityAround, byDay, type Activity } from '@ledgerline/domain/sessions/activity';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Session } from '@ledgerline/domain/sessions/session';
import { changedValues } from './dimensions.projections';
import { distinctIntoBlocks } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

/** What is counted, among the hits of which kind, per which value. */
interface DistinctCount {
  readonly builds: Distinct;
  readonly count: 'visitors' | 'sessions';
  readonly kind: typeof HIT.custom | typeof HIT.outgoing;
  readonly valueOf: (hit: Hit, input: RollupInput) => number;
}

const text = (hit: Hit) => hit.text;
const domain = (hit: Hit, { domainOf }: RollupInput) => domainOf(hit.text);

const COUNTS: readonly DistinctCount[] = [
  { builds: models.customEventUsers, count: 'visitors', kind: HIT.custom, valueOf: text },
  { builds: models.customEventSessions, count: 'sessions', kind: HIT.custom, valueOf: text },
  { builds: models.outboundLinkUsers, count: 'visitors', kind: HIT.outgoing, valueOf: text },
  { builds: models.outboundLinkSessions, count: 'sessions', kind: HIT.outgoing, valueOf: text },
  { builds: models.outboundDomainUsers, count: 'visitors', kind: HIT.outgoing, valueOf: domain },
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
    distinctIntoBlocks('distinct_count'),
  ),
);

/** One list for the visitor; hits without a visitor count for none. */
function visitorActivity(input: RollupInput, counted: DistinctCount): readonly (readonly Activity[])[] {
  if (input.visitor === null) return [];
  const activityOf = (session: Session) => hitActivity(session, input, counted);
  const changing = changedValues(input, (session) => activityOf(session).map(({ value }) => value));
  const activities = activityAround(input, changing, ({ session }, emit) => {
    for (const { value, day } of activityOf(session)) emit(value, day, 0, 0);
  });
  return [activities];
}

/** One list for each session, with page views or without; hits in no session count for none. */
const sessionActivity = (input: RollupInput, counted: DistinctCount): readonly (readonly Activity[])[] =>
  input.near
    .filter(({ session }) => session.kind !== SESSION_KIND.none)
    .map(({ session }) => hitActivity(session, input, counted));

function hitActivity(session: Session, input: RollupInput, { kind, valueOf }: DistinctCount): readonly Activity[] {
  const { customEvents, outgoingLinks } = session;
  if ((kind === HIT.custom ? customEvents : outgoingLinks) === 0) return []; // without its hits, which may not be decoded yet
  return session.hits
    .filter((hit) => hit.kind === kind)
    .map((hit) => ({ value: valueOf(hit, input), day: input.calendar.day(hit.at), pageviews: 0, sessions: 0 }));
}
