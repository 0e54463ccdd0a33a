import { windowMs } from '@ledgerline/domain/goals/definition-rules';
import { propertiesOfGoal } from '@ledgerline/domain/goals/goal-counts';
import { countLinkConversions, type AskedLinkConversions } from '@ledgerline/domain/goals/link-conversions';
import { percentage } from '@ledgerline/domain/query/rows';
import { columnOf, countFields, listOf, numberIn, orNull, percent, ratio, text, textIn } from '../../fields';
import { byCounts, queryType, type Asked, type Question } from '../../query-type';
import { checkWindow, notesOfIds } from './funnels.query-type';
import { goalIn, ORDERS } from './goals.query-type';

/** How long before a conversion its clicks are, in ms. */
const windowIn = ({ options: { window }, visitorIdentity }: Pick<Question, 'options' | 'visitorIdentity'>) =>
  windowMs(window ?? (visitorIdentity === 'daily' ? '1d' : '30d')) ?? 0;

/** With the conditions that were found. */
function found(asked: Asked): AskedLinkConversions {
  const [goal, clicks] = asked.conditions ?? [];
  if (!goal || !clicks) throw new Error('The condition of a goal was not looked up.');
  return { ...asked, goal, clicks };
}

/** Of shared conversions, to the millionth. */
const SHARED_REVENUE = listOf({ currency: orNull(text), sum: ratio, events: ratio, unreadable: ratio });

export const linkConversions = queryType({
  name: 'link_conversions',
  shape: 'list',
  category: 'Goals',
  description:
    'Which short links led to conversions of a goal: clicks and visitors of the range, and each conversion shared among the ' +
    'clicks of its visitor in a window before it; those without a click are the row whose link_id is null',
  isComparable: false,
  takes: ['goal', 'model', 'window'],
  needs: ['goal'],
  fields: {
    link_id: orNull(text),
    name: orNull(text),
    external_id: orNull(text),
    ...countFields(['clicks', 'visitors']),
    conversions: ratio,
    percentage: percent,
    revenue: SHARED_REVENUE,
  },
  order: byCounts(['conversions', 'clicks', 'visitors'], 'link_id'),
  check: (asked) => checkWindow('window', windowIn(asked), asked.visitorIdentity),
  sessionColumns: {
    units: ['views', 'link_clicks'],
    fields: ['visitor', 'flags'],
    texts: { text: 'link' },
    of: windowIn,
    reads: ({ options }) => ({
      conditions: [
        { condition: goalIn(options).condition, properties: propertiesOfGoal(goalIn(options)) },
        { condition: { kind: 'link_click' } },
      ],
    }),
    count(asked) {
      const { options, visitorIdentity } = asked.question;
      const { model = 'last' } = options;
      const attribution = { value: goalIn(options).value ?? null, model, windowMs: windowIn(asked.question) };
      const table = countLinkConversions(found(asked), attribution);
      return { ...table, notes: [...(table.notes ?? []), ...notesOfIds(visitorIdentity, 'what clicks led to')] };
    },
  },
  async complete(rows, { targets }, { link: websiteId }) {
    const ids = rows.map((row) => textIn(row, 'text')).filter((id) => id !== '');
    const names = await targets.linkNames(websiteId, ids);
    return rows.map((row) => {
      const { name = null, externalId = null } = names.get(textIn(row, 'text')) ?? {};
      return { ...row, name, external_id: externalId };
    });
  },
  row: (row) => ({
    link_id: columnOf(row, 'is_none') === true ? null : textIn(row, 'text'),
    percentage: percentage(numberIn(row, 'conversions'), numberIn(row, 'whole')),
  }),
  example: { goal: ORDERS, model: 'linear' },
});
