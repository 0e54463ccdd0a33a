import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import { unitOfKind, unitsMeeting } from './compiled-condition';
import { type ColumnTable, tableOfRows } from './tables';
import { conditionAt, tiesTable, timelineOf, type GoalScope } from './timeline';

export interface JourneyOptions {
  /** Where they begin. */
  readonly begin: ConditionDefinition;
  /** Backwards = what led there. */
  readonly isBackwards: boolean;
  /** The number of steps for which they are followed. */
  readonly steps: number;
  /** So many at least are followed of each node; of equally frequent ones all, as only their texts decide. */
  readonly branches: number;
  readonly by: 'page' | 'event';
}

interface Node {
  sessions: number;
  /** The number of sessions that have no further name. */
  ended: number;
  readonly next: Map<number, Node>;
}

const node = (): Node => ({ sessions: 0, ended: 0, next: new Map() });

const NAMES = { page: { unit: 'views', field: 'path' }, event: { unit: 'custom_events', field: 'name' } } as const;

/** A row for each node, with the ids of its names in `ids`, and what its further branches have in all. */
export function countJourneys(scope: GoalScope, plan: JourneyOptions): ColumnTable {
  const { unit, field } = NAMES[plan.by];
  const begins = beginsOf(scope);
  const ofNames = { unit, isWanted: new Uint8Array(scope.sessions.unit(unit).size).fill(1) };
  const ofBegins = { unit: unitOfKind(plan.begin.kind), isWanted: begins };
  const timeline = timelineOf(scope, 'session', ofBegins.unit === unit ? [ofNames] : [ofNames, ofBegins]);
  if (!('starts' in timeline)) return tiesTable(timeline);
  const names = scope.sessions.unit(unit).field(field);
  const isBegin = (at: number) =>
    timeline.units[timeline.kinds[at] ?? 0] === ofBegins.unit && begins[timeline.places[at] ?? 0] === 1;
  const nameAt = (at: number) => (timeline.kinds[at] === 0 ? (names[timeline.places[at] ?? 0] ?? 0) : undefined);
  const root = node();
  for (let owner = 0; owner + 1 < timeline.starts.length; owner++) {
    const start = timeline.starts[owner] ?? 0;
    const end = timeline.starts[owner + 1] ?? 0;
    let begin = start;
    while (begin < end && !isBegin(begin)) begin++;
    if (begin < end) addJourney(root, namesAfter(begin, [start, end], plan, nameAt), plan.steps);
  }
  return tableOfRows(root.sessions === 0 ? [] : rowsOf(root, [], plan.branches));
}

/** The selected events of the range that meet the condition. */
function beginsOf(scope: GoalScope): Uint8Array {
  const { sessions } = scope;
  const condition = conditionAt(scope, 0);
  const { isIn } = sessions.unit(unitOfKind(condition.kind));
  return unitsMeeting(condition, sessions).map((mark, at) => mark & (isIn[at] ?? 0));
}

/** The names that follow, one more than the plan has steps at most; the same one directly after itself is one. */
function namesAfter(
  begin: number,
  [start, end]: readonly [number, number],
  { isBackwards, steps }: JourneyOptions,
  nameAt: (at: number) => number | undefined,
): readonly number[] {
  const names: number[] = [];
  let before = nameAt(begin);
  const step = isBackwards ? -1 : 1;
  for (let at = begin + step; at >= start && at < end && names.length <= steps; at += step) {
    const name = nameAt(at);
    if (name === undefined || name === before) continue;
    names.push(name);
    before = name;
  }
  return names;
}

function addJourney(root: Node, names: readonly number[], steps: number): void {
  let at = root;
  at.sessions++;
  for (const name of names.slice(0, steps)) {
    const next = at.next.get(name) ?? node();
    at.next.set(name, next);
    at = next;
    at.sessions++;
  }
  if (names.length <= steps) at.ended++;
}

interface JourneyRow {
  readonly [name: string]: unknown;
  readonly ids: readonly number[];
  readonly sessions: number;
  readonly ended: number;
  /** The sessions of the branches that have no row. */
  readonly other_sessions: number;
  readonly other_ended: number;
}

function rowsOf({ sessions, ended, next }: Node, ids: readonly number[], branches: number): readonly JourneyRow[] {
  const sorted = [...next].sort(([, a], [, b]) => b.sessions - a.sessions);
  const least = sorted[branches - 1]?.[1].sessions ?? 0;
  const kept = sorted.filter(([, each]) => each.sessions >= least);
  const others = sorted.filter(([, each]) => each.sessions < least);
  const sumOf = (name: 'sessions' | 'ended') => others.reduce((sum, [, each]) => sum + each[name], 0);
  return [
    { ids, sessions, ended, other_sessions: sumOf('sessions'), other_ended: sumOf('ended') },
    ...kept.flatMap(([name, each]) => rowsOf(each, [...ids, name], branches)),
  ];
}
