import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { conversionsIn } from './naive-conditions';
import { percent, type NaiveRequest } from './naive-request';
import { select } from './naive-selection';
import { inOrder, naiveSessions } from './naive-sessions';
import type { Row } from './naive-website-answers';

export interface NaiveJourneys {
  readonly from?: ConditionDefinition;
  readonly to?: ConditionDefinition;
  readonly steps: number;
  readonly branches: number;
  readonly by: 'page' | 'event';
}

/** The names of a session outward from where its journey begins; undefined if it has none. */
function journeyOf(
  events: readonly WebsiteObservedEvent[],
  selected: ReadonlySet<WebsiteObservedEvent>,
  { to, by }: NaiveJourneys,
): string[] | undefined {
  const own = [...events].sort(inOrder);
  const begin = own.findIndex((event) => selected.has(event));
  if (begin < 0) return undefined;
  const outward = to ? own.slice(0, begin).reverse() : own.slice(begin + 1);
  const nameOf = (event: WebsiteObservedEvent) =>
    by === 'page' && event.type === 'PageViewed'
      ? event.data.path
      : by === 'event' && event.type === 'CustomEventTracked'
        ? event.data.name
        : undefined;
  const named = [own[begin]!, ...outward].map(nameOf);
  const names = named.filter((name) => name !== undefined);
  const distinct = names.filter((name, at) => name !== names[at - 1]);
  return named[0] === undefined ? distinct : distinct.slice(1);
}

export function naiveJourneys(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  asked: NaiveJourneys,
): Row[] {
  const selected = new Set<WebsiteObservedEvent>(
    conversionsIn(select(events, request), (asked.from ?? asked.to)!).map(({ event }) => event),
  );
  const journeys = naiveSessions(events).flatMap((session) => {
    const journey = journeyOf(session.events, selected, asked);
    return journey ? [journey] : [];
  });
  const rowOf = (path: string[], own: string[][]) => ({
    depth: path.length,
    path,
    sessions: own.length,
    percentage: percent(own.length, journeys.length),
    ended: own.filter(({ length }) => length === path.length).length,
  });
  const rowsAt = (path: string[], own: string[][]): ReturnType<typeof rowOf>[] => {
    const depth = path.length;
    const row = rowOf(path, own);
    if (depth === asked.steps) return [row];
    const names = [...new Set(own.flatMap((journey) => journey[depth] ?? []))];
    const branches = names
      .map((name) => ({ name, journeys: own.filter((journey) => journey[depth] === name) }))
      .sort(
        (a, b) => b.journeys.length - a.journeys.length || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
      );
    const others = branches.slice(asked.branches).flatMap((branch) => branch.journeys);
    return [
      row,
      ...branches.slice(0, asked.branches).flatMap((branch) => rowsAt([...path, branch.name], branch.journeys)),
      ...(others.length > 0 ? [rowOf([...path, 'Other'], others)] : []),
    ];
  };
  if (journeys.length === 0) return [];
  return rowsAt([], journeys).sort(
    (a, b) =>
      a.depth - b.depth ||
      b.sessions - a.sessions ||
      Buffer.compare(Buffer.from(a.path.join('\n')), Buffer.from(b.path.join('\n'))),
  );
}
