import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import {
  affectedSessions,
  ERROR_TEXT,
  errorSessions,
  errorTexts,
  errorUsers,
} from '@ledgerline/contracts/read-models/website-errors';
import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, percent } from '../../fields';
import { counted, rowsOf, together } from '../../counting/counted';
import { COUNT, different, of, SESSIONS, VISITORS, type Condition } from '../../counting/measures';
import { COUNTED_SESSIONS } from '../../counting/session-items';
import { queryType, type QueryContext } from '../../query-type';
import { distinctCounts, sumsByDays } from '../../sql/rollups';

const errors = counted({
  of: 'errors',
  measures: {
    total_errors: COUNT,
    unique_errors: different('message'),
    affected_users: VISITORS,
    affected_sessions: SESSIONS,
  },
});

/** At any time: the session counts by its first page view. */
const hasError: Condition = {
  fields: [],
  of({ places, sessions }) {
    const { places: failed, isSelected } = sessions.allUnits('errors');
    const marks = new Uint8Array(sessions.size);
    for (let at = 0; at < failed.length; at++) if (isSelected[at] === 1) marks[failed[at] ?? 0] = 1;
    return Uint8Array.from(places, (place) => marks[place] ?? 0);
  },
};

const visits = counted({ of: COUNTED_SESSIONS, measures: { sessions: COUNT, failed_sessions: of(hasError, COUNT) } });

export const errorSummary = queryType({
  name: 'error_summary',
  about: 'website',
  shape: 'totals',
  category: 'Errors',
  description: 'Error counts and impact; error_rate = sessions with an error in all sessions',
  publicAccess: true,
  fields: {
    total_errors: count,
    unique_errors: count,
    affected_users: count,
    affected_sessions: count,
    error_rate: percent,
  },
  sources: { days: fromDays },
  sessionColumns: rowsOf(together([], errors, visits)),
  row: (found) => ({ error_rate: percentage(numberIn(found, 'failed_sessions'), numberIn(found, 'sessions')) }),
});

function fromDays(context: QueryContext): Sql {
  const { table, website, startDate, endDate } = context;
  const also = sql` and value = ${EVERY_VALUE}`;
  const counted = (model: ReadModel) => sql`(
    select distinct_count from (${distinctCounts(context, model, { also })}) counted
  )::float8`;
  const sessionsIn = (model: ReadModel) => sql`(
    select sum(sessions) from ${table(model)}
    where website = ${website} and day between ${startDate}::date and ${endDate}::date
  )::float8`;
  return sql`
select sum(errors) filter (where kind = ${ERROR_TEXT.type}) as total_errors,
  (count(*) filter (where kind = ${ERROR_TEXT.message}))::float8 as unique_errors,
  ${counted(errorUsers)} as affected_users, ${counted(affectedSessions)} as affected_sessions,
  ${sessionsIn(websiteDaily)} as sessions, ${sessionsIn(errorSessions)} as failed_sessions
from (${sumsByDays(context, errorTexts, { columns: ['errors'], by: ['kind', 'value'] })}) texts
where errors > 0`;
}
