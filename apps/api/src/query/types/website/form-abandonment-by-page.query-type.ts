import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, orNull, percent, text, textIn } from '../../fields';
import { counted } from '../../counting/counted';
import { all, COUNT, not, of, positive } from '../../counting/measures';
import { withMostFrequent } from '../../counting/most-frequent';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { listed } from '../../sql/listed';
import { mostFrequentText } from '../../sql/most-frequent';

const COUNTS = ['form_starts', 'form_submits'];
const LEAST_STARTS = 5;

const [isStarted, isSubmitted] = [positive('form_fields'), positive('form_submits')];
const forms = counted({
  of: 'spans',
  by: { value: 'path' },
  measures: { form_starts: of(isStarted, COUNT), form_submits: of(isSubmitted, COUNT) },
  atLeast: { form_starts: LEAST_STARTS },
});

export const formAbandonmentByPage = queryType({
  name: 'form_abandonment_by_page',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Form starts, submits and the field visitors stop on, of pages with at least five starts',
  fields: {
    name: text,
    form_starts: count,
    form_submits: count,
    abandonment_rate: percent,
    top_abandoned_field: orNull(text),
  },
  order: byCounts(COUNTS, 'name'),
  sources: { days: byDays },
  sessionColumns: withMostFrequent(
    ranked(forms, { by: COUNTS, texts: { text: 'value', top_abandoned_field: 'abandoned_fields' } }),
    { abandoned_fields: { text: 'last_field', where: all(isStarted, not(isSubmitted)) } },
  ),
  row(found) {
    const [starts, submits] = [numberIn(found, 'form_starts'), numberIn(found, 'form_submits')];
    return { name: textIn(found, 'text'), abandonment_rate: percentage(Math.max(starts - submits, 0), starts) };
  },
});

function byDays(context: QueryContext): Sql {
  const forms = sumsByDays(context, pageEvents, { columns: COUNTS, by: ['value'] });
  const grouped = sql`
  select pages.*, abandoned.target as top_abandoned_field
  from pages left join (${mostFrequentText(context, 'abandonedField')}) abandoned on abandoned.path = value`;
  const columns = { counts: COUNTS, texts: ['top_abandoned_field'] };
  return sql`
with pages as (
  select *, ${TOTAL_ROWS} from (${forms}) forms where form_starts >= ${LEAST_STARTS}${topNWithTies(['form_starts'], context)}
)${listed(grouped, columns, context)}`;
}
