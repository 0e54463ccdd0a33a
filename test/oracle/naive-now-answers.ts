import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { distinct, labelOf, type NaiveRequest } from './naive-request';
import { select } from './naive-selection';
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
    const { everySession } = select(events, { ...request, filters: [] });
    const recent = ({ at }: { at: number }) => at >= request.now - FIVE_MINUTES && at <= request.now;
    const active = everySession.filter((session) => session.events.some(recent));
    return [
      {
        active_users: distinct(active.map(({ visitor }) => visitor)),
        active_sessions: active.filter(({ first }) => first !== undefined).length,
      },
    ];
  },
};
