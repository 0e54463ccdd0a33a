import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { distinct, labelOf, type NaiveRequest } from './naive-request';
import { hitPasses, select, visitPasses } from './naive-selection';
import { naiveSessions } from './naive-sessions';
import type { Row } from './naive-website-answers';

type Answer = (events: readonly WebsiteObservedEvent[], request: NaiveRequest) => Row[];

const FIVE_MINUTES = 5 * 60_000;

/** Questions about now, whatever dates the request names. */
export const nowAnswers: Readonly<Record<string, Answer>> = {
  today_metrics: (events, request) => {
    const today = labelOf(request.now, request.timezone, 'daily');
    const { views, sessions } = select(events, { ...request, startDate: today, endDate: today });
    return [
      {
        pageviews: views.length,
        visitors: distinct(views.map(({ event }) => event.data.visitorId)),
        sessions: sessions.length,
      },
    ];
  },
  active_stats: (events, request) => {
    const recent = ({ at }: { at: number }) => at >= request.now - FIVE_MINUTES && at <= request.now;
    const selected = (event: WebsiteObservedEvent) => hitPasses(event, request);
    const active = naiveSessions(events)
      .filter((session) => visitPasses(session, request))
      .filter((session) => session.events.some((event) => recent(event) && selected(event)));
    return [
      {
        active_users: distinct(active.map(({ visitor }) => visitor)),
        active_sessions: active.filter(({ views }) => views.some(selected)).length,
      },
    ];
  },
};
