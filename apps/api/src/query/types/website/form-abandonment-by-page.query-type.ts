import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { engagementSpans } from '@ledgerline/contracts/read-models/website-engagement';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, orNull, percent, text, textIn } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays } from '../../sql/blocks';
import { eventsIn } from '../../sql/event-facts';
import { listed } from '../../sql/listed';
import { mostFrequent, mostFrequentText } from '../../sql/most-frequent';
import { topNWithTies, TOTAL_ROWS } from '../../sql/ranked';

const COUNTS = ['form_starts', 'form_submits'];
const LEAST_STARTS = 5;

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
  sources: { days: byDays, facts: fromFacts },
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
  const columns = { counts: COUNTS, others: [], texts: ['top_abandoned_field'], isCounted: true };
  return sql`
with pages as (
  select *, ${TOTAL_ROWS} from (${forms}) forms where form_starts >= ${LEAST_STARTS}${topNWithTies(['form_starts'], context)}
)
select * from (${listed(grouped, columns, context)}) listed`;
}

/** Spans without a form are of no use. */
function fromFacts(context: QueryContext): Sql {
  const fields = mostFrequent(sql`
    select path, last_field as target, count(*) as times
    from spans where is_started and not is_submitted and last_field <> ${NO_TEXT}
    group by 1, 2`);
  const grouped = sql`
  with spans as (
    select e.path, e.last_field, e.form_fields > 0 as is_started, e.form_submits > 0 as is_submitted
    from ${eventsIn(context, engagementSpans, context)} and (e.form_fields > 0 or e.form_submits > 0)
  )
  select forms.*, abandoned.target as top_abandoned_field
  from (
    select path as value, count(*) filter (where is_started) as form_starts,
      count(*) filter (where is_submitted) as form_submits
    from spans group by path
  ) forms
  left join (${fields}) abandoned on abandoned.path = forms.value
  where form_starts >= ${LEAST_STARTS}`;
  return listed(grouped, { counts: COUNTS, others: [], texts: ['top_abandoned_field'] }, context);
}
