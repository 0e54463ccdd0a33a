import { distinct, percent } from './naive-request';
import type { Selection } from './naive-selection';
import { inOrder } from './naive-sessions';
import { sorted, type Row } from './naive-website-answers';

type Answer = (selection: Selection) => Row[];

const iso = (at: number) => new Date(at).toISOString();
const usersOf = (group: readonly { event: { data: { visitorId: string | null } } }[]) =>
  distinct(group.map(({ event }) => event.data.visitorId));
const sessionsOf = (group: Selection['custom'] | Selection['outgoing']) =>
  distinct(group.map(({ session }) => (session ? `${session.visitor ?? ''}|${session.id}` : null)));

function groups<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const keys = [...new Set(items.map(keyOf))];
  return keys.map((key) => [key, items.filter((item) => keyOf(item) === key)]);
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
    return sorted(rows, ['total_events', 'unique_users', 'unique_sessions']);
  },
  outbound_links: ({ outgoing }) => {
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
  },
  outbound_domains: ({ outgoing }) => {
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
