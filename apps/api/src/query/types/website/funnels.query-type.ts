import type { FunnelOptions } from '@ledgerline/aggregation/aggregation';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { windowMs } from '@ledgerline/domain/goals/definition-rules';
import { compareText, rowsOfPage, percentage } from '@ledgerline/domain/query/rows';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import {
  requiredCell,
  count,
  countFields,
  numberCell,
  numberOrNull,
  nullableField,
  percent,
  seconds,
  secondsOf,
  textField,
  timestamp,
  withoutDashes,
  type SqlRow,
} from '../../declaration/fields';
import { wrongOption, type ParameterOptions } from '../../declaration/options';
import type { QueryContext, Question, GivenOptions } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';
import { checkBreakdown, nameOfValue } from './goals.query-type';

const FUNNELS = { category: 'Funnels' } as const;

const EXAMPLE: ParameterOptions = {
  funnel: {
    steps: [
      { name: 'Pricing', condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/pricing' }] } },
      { name: 'Signup', condition: { kind: 'event', filters: [{ field: 'name', op: 'glob', value: 'signup_*' }] } },
    ],
  },
};

/** The funnel that is asked for. */
function funnelIn({ options: { funnel }, visitorIdentity }: GivenOptions): Omit<FunnelOptions, 'asOf'> {
  if (!funnel) throw new Error('No funnel is asked for.');
  const { steps, window, order = 'ordered', per = 'visitor' } = funnel;
  const wanted = window ?? (visitorIdentity === 'daily' ? '1d' : '7d');
  return { steps, order, per, windowMs: windowMs(wanted) ?? 0 };
}

/** The longest times that ids of visitors live, and what they are followed for may not take longer. */
const LIFETIMES: Readonly<Record<string, { readonly longest: string; readonly unit: string }>> = {
  daily: { longest: '1d', unit: 'day' },
  monthly: { longest: '31d', unit: 'month' },
};

/** @throws Problem VALIDATION_ERROR for a window that is longer than ids of visitors live */
export function checkWindow(field: string, ms: number, visitorIdentity: string, otherwise = ''): void {
  const lifetime = LIFETIMES[visitorIdentity];
  if (!lifetime || ms <= (windowMs(lifetime.longest) ?? 0)) return;
  const { longest, unit } = lifetime;
  throw wrongOption(
    field,
    `Ids of visitors of this website end with the ${unit}: choose a window of at most ${longest}${otherwise}.`,
  );
}

/** Where the ids of visitors end that are followed. */
export const notesOfIds = (visitorIdentity: string, followed: string): readonly string[] =>
  visitorIdentity in LIFETIMES
    ? [`Ids of visitors end with the ${LIFETIMES[visitorIdentity]?.unit}, and so do ${followed}.`]
    : [];

/** @throws Problem VALIDATION_ERROR for a funnel that ids of visitors cannot answer */
function checkFunnel(asked: GivenOptions): void {
  const { per, windowMs: ms } = funnelIn(asked);
  if (per === 'visitor') checkWindow('funnel.window', ms, asked.visitorIdentity, ', or per "session"');
}

const identityNotes = (asked: GivenOptions): readonly string[] =>
  funnelIn(asked).per === 'session' ? [] : notesOfIds(asked.visitorIdentity, 'their attempts');

const funnelOf = (asked: Question): FunnelOptions => ({ ...funnelIn(asked), asOf: asked.includedQuarter });

const attemptsGoOnFor = (asked: GivenOptions): number => (asked.options.funnel ? funnelIn(asked).windowMs : 0);

/** Blocks of steps, those with most at the first step first; pages are of blocks. */
function arrangeBlocks(rows: readonly SqlRow[], { options, page }: Question) {
  const byValue = new Map<unknown, SqlRow[]>();
  for (const row of rows) {
    const block = byValue.get(requiredCell(row, 'block'));
    if (block) block.push(row);
    else byValue.set(requiredCell(row, 'block'), [row]);
  }
  const blocks = [...byValue.values()];
  const nameOf = ([first = {}]: readonly SqlRow[]) => nameOfValue(first, options);
  const reachedOf = ([first = {}]: readonly SqlRow[]) => numberCell(first, 'reached');
  const sorted = blocks.sort((a, b) => reachedOf(b) - reachedOf(a) || compareText(nameOf(a), nameOf(b)));
  return { rows: rowsOfPage(sorted, page).flat(), total: blocks.length };
}

export const funnelQuery = queryType({
  ...FUNNELS,
  name: 'funnel',
  shape: 'list',
  description:
    'Visitors (or sessions) by the step of a funnel that they reached, also after the range, and how long they took since ' +
    'the step before; with `by` for each value of where they began',
  takes: {
    options: ['funnel', 'by'],
    needs: ['funnel'],
    check(asked) {
      checkBreakdown(asked.options);
      checkFunnel(asked);
    },
    goesOnFor: attemptsGoOnFor,
    example: EXAMPLE,
  },
  fields: {
    value: nullableField(textField),
    step: { ...count, isLabel: true },
    name: textField,
    ...countFields(['reached', 'dropped']),
    percentage: percent,
    percentage_of_previous: percent,
    median_seconds: nullableField(seconds),
  },
  counting: {
    plan: (asked) => ({ kind: 'funnel', funnel: funnelOf(asked), by: asked.options.by }),
    texts: { text: 'value' },
    notes: identityNotes,
  },
  order: arrangeBlocks,
  row: (row, options) => ({
    value: options.by === undefined ? null : nameOfValue(row, options),
    percentage: percentage(numberCell(row, 'reached'), numberCell(row, 'whole')),
    percentage_of_previous: percentage(numberCell(row, 'reached'), numberCell(row, 'before')),
    median_seconds: secondsOf(numberOrNull(row, 'median_ms')),
  }),
});

export const funnelByDay = queryType({
  ...FUNNELS,
  name: 'funnel_by_day',
  shape: 'series',
  description: 'Who began a funnel on each day, and who of them completed it, also later',
  takes: {
    options: ['funnel'],
    needs: ['funnel'],
    check: checkFunnel,
    goesOnFor: attemptsGoOnFor,
    example: EXAMPLE,
  },
  fields: { date: textField, ...countFields(['entered', 'completed']), conversion_rate: percent },
  counting: {
    plan: (asked) => ({ kind: 'funnelByBucket', funnel: funnelOf(asked) }),
    notes: identityNotes,
  },
  row: (row) => ({ conversion_rate: percentage(numberCell(row, 'completed'), numberCell(row, 'entered')) }),
});

/** The newest first; ids of visitors are looked up for the page alone. */
async function arrangeVisitors(rows: readonly SqlRow[], { page, table, website }: QueryContext, on: Queryable) {
  const compare = (a: SqlRow, b: SqlRow) =>
    ['last_at', 'first_at', 'visitor'].map((name) => numberCell(b, name) - numberCell(a, name)).find(Boolean) ?? 0;
  const shown = rowsOfPage([...rows].sort(compare), page);
  const numbers = shown.map((row) => numberCell(row, 'visitor'));
  const ids = await runSql<{ visitor_number: number; visitor: string }>(
    on,
    sql`select distinct visitor_number, visitor from ${table(sessions)} where website = ${website} and visitor_number = any(${numbers}::int[])`,
  );
  const known = new Map(ids.map(({ visitor_number, visitor }) => [visitor_number, withoutDashes(visitor)]));
  const withIds = shown.map((row) => ({ ...row, visitor_id: known.get(numberCell(row, 'visitor')) ?? '' }));
  return { rows: withIds, total: rows.length };
}

export const funnelVisitors = queryType({
  ...FUNNELS,
  name: 'funnel_visitors',
  shape: 'list',
  description: 'The visitors who reached a step of a funnel, or dropped out after it, the last to meet a step first',
  range: 'incomparable',
  takes: {
    options: ['funnel', 'step', 'state'],
    needs: ['funnel', 'step'],
    check(asked) {
      checkFunnel(asked);
      const { length } = funnelIn(asked).steps;
      if ((asked.options.step ?? 0) > length) throw wrongOption('step', `The funnel has ${length} steps.`);
    },
    goesOnFor: attemptsGoOnFor,
    example: { ...EXAMPLE, step: 2 },
  },
  fields: { visitor_id: textField, reached: count, first_at: timestamp, last_at: timestamp },
  counting: {
    plan(asked) {
      const { step = 1, state = 'reached' } = asked.options;
      return { kind: 'funnelVisitors', funnel: funnelOf(asked), step, state };
    },
  },
  order: arrangeVisitors,
});
