import { count, countFields, percent, text } from '../../declaration/fields';
import { queryType, type Question, type AskedOptions } from '../../declaration/query-type';
import { wrongOption } from '../../declaration/options';

const ENDS = 'Ids of visitors of this website end with the';

/** @throws Problem VALIDATION_ERROR where ids of visitors do not live long enough */
function checkIdentity({ options, visitorIdentity }: AskedOptions): void {
  if (visitorIdentity === 'daily')
    throw wrongOption('name', `${ENDS} day, so that nobody is seen to come back: choose monthly or stable ids for it.`);
  if (visitorIdentity === 'monthly' && options.period === 'month')
    throw wrongOption('period', `${ENDS} month: choose the period day or week.`);
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
    plan({ options, ownZone: zone, now }) {
      const { first, again, period = 'week', periods = 8, mode = 'on' } = options;
      return { kind: 'retention', first, again, period, periods, mode, zone, now };
    },
    notes: notesFor,
  },
});
