import { buckets, distinct, percent, type NaiveRequest } from './naive-request';
import type { Selection } from './naive-selection';
import { inOrder } from './naive-sessions';
import { byCodePoints, sorted, type Row } from './naive-website-answers';

type Answer = (selection: Selection, request: NaiveRequest) => Row[];

const iso = (at: number) => new Date(at).toISOString();
const usersOf = (group: readonly { event: { data: { visitorId: string | null } } }[]) =>
  distinct(group.map(({ event }) => event.data.visitorId));
const sessionsOf = (group: Selection['custom'] | Selection['outgoing']) =>
  distinct(group.map(({ session }) => (session ? `${session.visitor ?? ''}|${session.id}` : null)));

function groups<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const keys = [...new Set(items.map(keyOf))];
  return keys.map((key) => [key, items.filter((item) => keyOf(item) === key)]);
}

const countsOf = (group: Selection['custom']) => ({
  total_events: group.length,
  unique_event_types: new Set(group.map(({ event }) => event.data.name)).size,
  unique_users: usersOf(group),
});

/** The value of a property as rows show it; the only list of the random traffic is written out. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? '[1, "a"]' : String(value);
}

/** Returns the totals of numbers with at most two decimals, of which whole hundredths are added up. */
function totalsOf(numbers: readonly number[]) {
  let hundredths = 0;
  for (const number of numbers) hundredths += Math.round(number * 100);
  const numeric_count = numbers.length;
  const numeric_sum = hundredths / 100;
  if (numeric_count === 0) return { numeric_count, numeric_sum: null, numeric_average: null };
  return { numeric_count, numeric_sum, numeric_average: hundredths / numeric_count / 100 };
}

/** Custom events and outgoing links, straight from their definitions. */
export const eventAnswers: Readonly<Record<string, Answer>> = {
  custom_events: ({ custom }) => {
    const rows = groups(custom, ({ event }) => event.data.name).map(([name, group]) => ({
      name,
      total_events: group.length,
      unique_users: usersOf(group),
      unique_sessions: sessionsOf(group),
      first_occurrence: iso(Math.min(...group.map(({ event }) => event.at))),
      last_occurrence: iso(Math.max(...group.map(({ event }) => event.at))),
      events_with_properties: group.filter(({ event }) => Object.keys(event.data.properties ?? {}).length > 0).length,
      percentage: percent(group.length, custom.length),
    }));
    return sorted(rows, ['total_events', 'unique_users', 'unique_sessions', 'events_with_properties']);
  },
  custom_events_trends: ({ custom }, request) =>
    buckets(request).map((bucket) => ({
      date: bucket.date,
      ...countsOf(custom.filter(({ event }) => bucket.has(event.at))),
    })),
  custom_events_by_path: ({ custom }) => {
    const rows = groups(custom, ({ event }) => event.data.path ?? 'Unknown').map(([name, group]) => {
      return { name, ...countsOf(group) };
    });
    return sorted(rows, ['total_events', 'unique_event_types', 'unique_users']);
  },
  custom_event_properties: ({ custom }) => {
    const pairs = custom.flatMap(({ event: { data } }) =>
      Object.entries(data.properties ?? {}).map(([key, value]) => [data.name, key, shown(value)] as const),
    );
    const numbersOf = (name: string, key: string) =>
      custom.flatMap(({ event: { data } }) => {
        const value = data.name === name ? data.properties?.[key] : undefined;
        return typeof value === 'number' ? [value] : [];
      });
    return groups(pairs, (pair) => pair.join(' '))
      .map(([, [first, ...others]]) => {
        const [name, property_key, property_value] = first!;
        const numbers = numbersOf(name, property_key);
        return { name, property_key, property_value, count: others.length + 1, ...totalsOf(numbers) };
      })
      .sort(
        (a, b) =>
          b.count - a.count ||
          b.numeric_count - a.numeric_count ||
          byCodePoints(a, b, 'name') ||
          byCodePoints(a, b, 'property_key') ||
          byCodePoints(a, b, 'property_value'),
      );
  },
  custom_events_recent: ({ custom }) =>
    [...custom]
      .sort((a, b) => inOrder(b.event, a.event))
      .map(({ event: { at, data }, session }) => ({
        event_name: data.name,
        namespace: data.namespace,
        path: data.path,
        properties: data.properties ?? {},
        visitor_id: data.visitorId,
        profile_id: null, // nobody is identified
        display_name: null,
        session_id: session?.id ?? null,
        timestamp: iso(at),
      })),
  outbound_links: (selection) => linkRows(leavingIn(selection)),
  downloads: ({ outgoing }) => linkRows(outgoing.filter(({ event }) => event.data.linkKind === 'download')),
  outbound_domains: (selection) => {
    const outgoing = leavingIn(selection);
    const rows = groups(outgoing, ({ event }) => new URL(event.data.href).hostname).map(([domain, group]) => ({
      domain,
      total_clicks: group.length,
      unique_users: usersOf(group),
      unique_links: new Set(group.map(({ event }) => event.data.href)).size,
      percentage: percent(group.length, outgoing.length),
    }));
    return sorted(rows, ['total_clicks', 'unique_users', 'unique_links'], 'domain');
  },
};

/** Downloads from the website's own domain are no outbound links. */
const leavingIn = ({ outgoing }: Selection) =>
  outgoing.filter(({ event }) => event.data.linkKind === 'link' || !event.data.own);

function linkRows(outgoing: Selection['outgoing']) {
  const rows = groups(outgoing, ({ event }) => event.data.href).map(([href, group]) => {
    const latest = group
      .map(({ event }) => event)
      .sort(inOrder)
      .at(-1)!;
    return {
      href,
      text: latest.data.text ?? '',
      total_clicks: group.length,
      unique_users: usersOf(group),
      unique_sessions: sessionsOf(group),
      percentage: percent(group.length, outgoing.length),
      last_clicked: iso(latest.at),
    };
  });
  return sorted(rows, ['total_clicks', 'unique_users', 'unique_sessions'], 'href');
}
