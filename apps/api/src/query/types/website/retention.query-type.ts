import type { Condition } from '@ledgerline/contracts/definitions';
import { countRetention, type AskedRetention } from '@ledgerline/domain/goals/retention';
import { count, countFields, percent, text } from '../../declaration/fields';
import { queryType, type Asked } from '../../declaration/query-type';
import { wrongOption, type ParameterOptions } from '../../declaration/options';
import type { Question, AskedOptions } from '../../declaration/query-context';

const conditionsIn = ({ first, again }: ParameterOptions): readonly Condition[] =>
  [first, again].filter((condition) => condition !== undefined);

/** With the conditions that were found; null = a visit. */
function found(asked: Asked): AskedRetention {
  const { options, now } = asked.question;
  const conditions = [...(asked.conditions ?? [])];
  const next = (isWanted: boolean) => (isWanted ? (conditions.shift() ?? null) : null);
  const first = next(options.first !== undefined);
  return { ...asked, first, again: next(options.again !== undefined), now };
}

const ENDS = 'Ids of visitors of this website end with the';

/** @throws Problem VALIDATION_ERROR where ids of visitors do not live long enough */
function checkIdentity({ options, visitorIdentity }: AskedOptions): void {
  if (visitorIdentity === 'daily')
    throw wrongOption('name', `${ENDS} day, so that nobody is seen to come back: choose monthly or stable ids for it.`);
  if (visitorIdentity === 'monthly' && options.period === 'month')
    throw wrongOption('period', `${ENDS} month: choose the period day or week.`);
}

const notesFor = ({ visitorIdentity }: Question): readonly string[] =>
  visitorIdentity === 'monthly' ? ['Ids of visitors end with the month: who comes back later is new.'] : [];

export const retention = queryType({
  name: 'retention',
  shape: 'list',
  category: 'Retention',
  description:
    'How many of those who began in a period came back in those after it; visitors begin with their first page view ever, ' +
    'or their first event in the range that meets a condition',
  range: 'incomparable',
  takes: {
    options: ['first', 'again', 'period', 'periods', 'mode'],
    check: checkIdentity,
    example: { period: 'day', periods: 4 },
  },
  fields: {
    cohort: text,
    period: { ...count, isLabel: true },
    ...countFields(['visitors', 'retained']),
    percentage: percent,
  },
  order: [
    { field: 'cohort', direction: 'asc' },
    { field: 'period', direction: 'asc' },
  ],
  sessionColumns: {
    units: ['views'],
    fields: ['visitor', 'flags'],
    of: 'history',
    reads: ({ options }) => ({ conditions: conditionsIn(options).map((condition) => ({ condition })) }),
    count(asked) {
      const { options, ownZone: zone } = asked.question;
      const { period = 'week', periods = 8, mode = 'on' } = options;
      const table = countRetention(found(asked), { period, periods, mode, zone });
      return { ...table, notes: [...(table.notes ?? []), ...notesFor(asked.question)] };
    },
  },
});
