import { windowMs } from '@ledgerline/domain/goals/definition-rules';
import { percentage } from '@ledgerline/domain/query/rows';
import {
  requiredCell,
  countFields,
  listField,
  numberCell,
  nullableField,
  percent,
  ratio,
  textField,
  textIn,
  type ResultField,
} from '../../declaration/fields';
import type { GivenOptions } from '../../declaration/query-context';
import { byCounts, queryType } from '../../declaration/query-type';
import { checkWindow, notesOfIds } from './funnels.query-type';
import { goalIn, EXAMPLE_GOAL } from './goals.query-type';

/** Returns how long before a conversion its clicks are, in ms. */
const windowIn = ({ options: { window }, visitorIdentity }: GivenOptions) =>
  windowMs(window ?? (visitorIdentity === 'daily' ? '1d' : '30d')) ?? 0;

/** The revenue of shared conversions, to the millionth. */
const SHARED_REVENUE = listField({ currency: nullableField(textField), sum: ratio, events: ratio, unreadable: ratio });

const OF_LINK: ResultField = { ...nullableField(textField), from: 'links' };

export const linkConversions = queryType({
  name: 'link_conversions',
  shape: 'list',
  category: 'Goals',
  description:
    'Which short links led to conversions of a goal: clicks and visitors of the range, and each conversion shared among the ' +
    'clicks of its visitor in a window before it; those without a click are the row whose link_id is null',
  range: 'incomparable',
  takes: {
    options: ['goal', 'model', 'window'],
    needs: ['goal'],
    check: (asked) => checkWindow('window', windowIn(asked), asked.visitorIdentity),
    example: { goal: EXAMPLE_GOAL, model: 'linear' },
  },
  fields: {
    link_id: nullableField(textField),
    name: OF_LINK,
    external_id: OF_LINK,
    ...countFields(['clicks', 'visitors']),
    conversions: ratio,
    percentage: percent,
    revenue: SHARED_REVENUE,
  },
  order: byCounts(['conversions', 'clicks', 'visitors'], 'link_id'),
  counting: {
    plan(asked) {
      const { model = 'last' } = asked.options;
      return { kind: 'linkConversions', goal: goalIn(asked.options), model, windowMs: windowIn(asked) };
    },
    texts: { text: 'link' },
    notes: ({ visitorIdentity }) => notesOfIds(visitorIdentity, 'what clicks led to'),
  },
  row: (row) => ({
    link_id: requiredCell(row, 'is_none') === true ? null : textIn(row, 'text'),
    percentage: percentage(numberCell(row, 'conversions'), numberCell(row, 'whole')),
  }),
});
