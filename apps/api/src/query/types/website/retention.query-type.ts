import type { RetentionPeriod } from '@ledgerline/aggregation/aggregation';
import { firstDayOf } from '@ledgerline/domain/query/buckets';
import { percentage } from '@ledgerline/domain/query/rows';
import { addDays, dayOf, startOfDay } from '@ledgerline/domain/time/zones';
import { count, countFields, numberCell, percent, textField } from '../../declaration/fields';
import { wrongOption } from '../../declaration/options';
import type { GivenOptions, Question } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';

const ENDS = 'Ids of visitors of this website end with the';

/** @throws Problem VALIDATION_ERROR where ids of visitors do not live long enough */
function checkIdentity({ options, visitorIdentity }: GivenOptions): void {
  if (visitorIdentity === 'daily')
    throw wrongOption('name', `${ENDS} day, so that nobody is seen to come back: choose monthly or stable ids for it.`);
  if (visitorIdentity === 'monthly' && options.period === 'month')
    throw wrongOption('period', `${ENDS} month: choose the period day or week.`);
}

const GRANULARITIES = { day: 'daily', week: 'weekly', month: 'monthly' } as const;
const LONGEST = { day: 1, week: 7, month: 31 } as const;

/** When periods begin in the zone of the website: from that of the range's begin up to the one after now. */
function startsOf(period: RetentionPeriod, { from, now, ownZone }: Pick<Question, 'from' | 'now' | 'ownZone'>) {
  const first = (day: string) => firstDayOf(day, GRANULARITIES[period]);
  const starts: { readonly day: string; readonly at: number }[] = [];
  for (
    let day = first(dayOf(from, ownZone));
    (starts.at(-1)?.at ?? 0) <= now;
    day = first(addDays(day, LONGEST[period]))
  )
    starts.push({ day, at: startOfDay(day, ownZone) });
  return starts;
}

const notesFor = ({ visitorIdentity }: Pick<Question, 'visitorIdentity'>): readonly string[] =>
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
    cohort: textField,
    period: { ...count, isLabel: true },
    ...countFields(['visitors', 'retained']),
    percentage: percent,
  },
  order: [
    { field: 'cohort', direction: 'asc' },
    { field: 'period', direction: 'asc' },
  ],
  counting: {
    plan(asked) {
      const { first, again, period = 'week', periods = 8, mode = 'on' } = asked.options;
      return { kind: 'retention', first, again, period, periods, mode, starts: startsOf(period, asked) };
    },
    notes: notesFor,
  },
  row: (row) => ({ percentage: percentage(numberCell(row, 'retained'), numberCell(row, 'visitors')) }),
});
