import { attributeOf, COUNTRY_NAMES } from './naive-attributes';
import { buckets, distinct, percent, type NaiveRequest } from './naive-request';
import { pagePasses, type Selection } from './naive-selection';
import { inOrder } from './naive-sessions';
import { sorted, type Row } from './naive-website-answers';

type Answer = (selection: Selection, request: NaiveRequest) => Row[];
type Errors = Selection['errors'];

const usersOf = (errors: Errors) => distinct(errors.map(({ event }) => event.data.visitorId));

function groupBy(errors: Errors, keyOf: (error: Errors[number]) => string): [string, Errors][] {
  const keys = [...new Set(errors.map(keyOf))];
  return keys.map((key) => [key, errors.filter((error) => keyOf(error) === key)]);
}

/** Errors of pages, straight from their definitions. */
export const errorAnswers: Readonly<Record<string, Answer>> = {
  recent_errors: ({ errors }) =>
    [...errors]
      .sort((a, b) => inOrder(b.event, a.event))
      .map(({ event, session }) => {
        const { data } = event;
        const of = (field: string, own: string | null) =>
          session?.first ? attributeOf(session.first, field) : (own ?? '');
        const country = of('country', data.country);
        return {
          message: data.message,
          stack: data.stack,
          path: data.path,
          visitor_id: data.visitorId,
          session_id: session?.id ?? null,
          timestamp: new Date(event.at).toISOString(),
          filename: data.filename,
          lineno: data.line,
          colno: data.column,
          error_type: data.errorType,
          browser_name: of('browser_name', data.browser) || 'Unknown',
          os_name: of('os_name', data.os) || 'Unknown',
          device_type: of('device_type', data.device) || 'Unknown',
          country: COUNTRY_NAMES[country] ?? 'Unknown',
        };
      }),
  error_summary: ({ errors, sessions }, request) => {
    const failed = sessions.filter((session) =>
      session.events.some((event) => event.type === 'ErrorRecorded' && pagePasses(event, request, session)),
    );
    return [
      {
        total_errors: errors.length,
        unique_errors: new Set(errors.map(({ event }) => event.data.message)).size,
        affected_users: usersOf(errors),
        affected_sessions: new Set(errors.flatMap(({ session }) => session ?? [])).size,
        error_rate: percent(failed.length, sessions.length),
      },
    ];
  },
  error_types: ({ errors }) => {
    const rows = groupBy(errors, ({ event }) => event.data.errorType ?? '').map(([name, group]) => ({
      name: name === '' ? 'Unknown' : name,
      count: group.length,
      users: usersOf(group),
      last_seen: new Date(Math.max(...group.map(({ event }) => event.at))).toISOString(),
    }));
    return sorted(rows, ['count', 'users']);
  },
  errors_by_page: ({ errors }) => {
    const rows = groupBy(errors, ({ event }) => event.data.path).map(([name, group]) => ({
      name,
      errors: group.length,
      users: usersOf(group),
    }));
    return sorted(rows, ['errors', 'users']);
  },
  error_trends: ({ errors }, request) =>
    buckets(request).map((bucket) => {
      const here = errors.filter(({ event }) => bucket.has(event.at));
      return { date: bucket.date, errors: here.length, users: usersOf(here) };
    }),
};
