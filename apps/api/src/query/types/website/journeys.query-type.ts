import type { JourneyOptions } from '@ledgerline/aggregation/aggregation';
import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import { compareText, rowsOfPage, percentage } from '@ledgerline/domain/query/rows';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  requiredCell,
  count,
  countFields,
  listOfTexts,
  numberCell,
  percent,
  type SqlRow,
} from '../../declaration/fields';
import { wrongOption, type ParameterOptions } from '../../declaration/options';
import type { Question } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';

const conditionIn = ({ from, to }: Pick<ParameterOptions, 'from' | 'to'>): ConditionDefinition => {
  const condition = from ?? to;
  if (!condition) throw new Error('No beginning of journeys is asked for.');
  return condition;
};

const journeysIn = ({ from, to, steps = 3, branches = 5, by }: ParameterOptions): JourneyOptions => ({
  begin: conditionIn({ from, to }),
  isBackwards: to !== undefined,
  steps,
  branches,
  by: by === 'event' ? 'event' : 'page',
});

/** @throws Problem VALIDATION_ERROR unless it has one beginning, and pages or events for names */
function checkJourneys({ from, to, by = 'page' }: ParameterOptions): void {
  if ((from === undefined) === (to === undefined)) throw wrongOption('from', 'journeys needs either from or to.');
  if (by !== 'page' && by !== 'event') throw wrongOption('by', 'by is page or event.');
}

interface Shown {
  readonly path: readonly string[];
  readonly sessions: number;
  readonly ended: number;
}

/** The branches of each node by how many sessions they have, then by name: as many as are asked for, the rest as one. */
async function arrangeJourneys(rows: readonly SqlRow[], { options, page }: Question, on: Queryable) {
  const idsOf = (row: SqlRow) => requiredCell(row, 'ids') as readonly number[]; // as countJourneys has them
  const texts = await textsOf(new Set(rows.flatMap(idsOf)), on);
  const byParent = new Map<string, SqlRow[]>();
  for (const row of rows) {
    const key = idsOf(row).slice(0, -1).join(' ');
    if (idsOf(row).length > 0) byParent.set(key, [...(byParent.get(key) ?? []), row]);
  }
  const { branches } = journeysIn(options);
  const shownOf = (row: SqlRow): readonly Shown[] => {
    const path = idsOf(row).map((id) => texts.get(id) ?? '');
    const next = (byParent.get(idsOf(row).join(' ')) ?? []).map((each) => ({
      each,
      name: texts.get(idsOf(each).at(-1) ?? 0) ?? '',
    }));
    next.sort((a, b) => numberCell(b.each, 'sessions') - numberCell(a.each, 'sessions') || compareText(a.name, b.name));
    const rest = next.slice(branches).map(({ each }) => each);
    const other = (name: string) =>
      rest.reduce((sum, each) => sum + numberCell(each, name), numberCell(row, `other_${name}`));
    const others = { path: [...path, 'Other'], sessions: other('sessions'), ended: other('ended') };
    return [
      { path, sessions: numberCell(row, 'sessions'), ended: numberCell(row, 'ended') },
      ...next.slice(0, branches).flatMap(({ each }) => shownOf(each)),
      ...(others.sessions > 0 ? [others] : []),
    ];
  };
  const root = rows.find((row) => idsOf(row).length === 0);
  const shown = [...(root ? shownOf(root) : [])].sort(
    (a, b) =>
      a.path.length - b.path.length || b.sessions - a.sessions || compareText(a.path.join('\n'), b.path.join('\n')),
  );
  const whole = shown[0]?.sessions ?? 0;
  const nodes = rowsOfPage(shown, page).map(({ path, sessions, ended }) => ({
    depth: path.length,
    path,
    sessions,
    percentage: percentage(sessions, whole),
    ended,
  }));
  return { rows: nodes, total: shown.length };
}

async function textsOf(ids: ReadonlySet<number>, on: Queryable): Promise<ReadonlyMap<number, string>> {
  const query = sql`select id, text from dictionary where id = any(${[...ids]}::int[])`;
  const found = await runSql<{ id: number; text: string }>(on, query);
  return new Map(found.map(({ id, text }) => [id, text]));
}

export const journeys = queryType({
  name: 'journeys',
  shape: 'list',
  category: 'Retention',
  description:
    'Which pages (or custom events) follow in sessions after an event, or lead to it, as a tree: a row for each of its ' +
    'nodes, the beginning first; ended are the sessions that go on no further',
  range: 'incomparable',
  takes: {
    options: ['from', 'to', 'steps', 'branches', 'by'],
    check: ({ options }) => checkJourneys(options),
    example: {
      from: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/pricing' }] },
      steps: 2,
      branches: 2,
    },
  },
  fields: { depth: count, path: listOfTexts, sessions: count, percentage: percent, ...countFields(['ended']) },
  counting: { plan: ({ options }) => ({ kind: 'journeys', ...journeysIn(options) }) },
  order: arrangeJourneys,
});
