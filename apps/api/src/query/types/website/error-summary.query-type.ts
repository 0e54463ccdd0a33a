import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import {
  affectedSessions,
  ERROR_TEXT,
  errors,
  errorSessions,
  errorTexts,
  errorUsers,
} from '@ledgerline/contracts/read-models/website-errors';
import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, percent } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { distinctCounts, sumsByDays } from '../../sql/blocks';
import { distinctSessions, eventsIn, ofPages } from '../../sql/event-facts';
import { countedSessionsIn } from '../../sql/sessions';

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
  sources: { days: fromDays, facts: fromFacts },
  row: (found) => ({ error_rate: percentage(numberIn(found, 'failed_sessions'), numberIn(found, 'sessions')) }),
});

const COUNTS = sql`count(*)::float8 as total_errors, count(distinct e.message)::float8 as unique_errors,
  count(distinct e.visitor)::float8 as affected_users, ${distinctSessions}::float8 as affected_sessions`;

function fromFacts(context: QueryContext): Sql {
  const { table, website } = context;
  const failed = sql`(coalesce(s.visitor, s.session), s.session) in (
      select coalesce(e.visitor, e.session), e.session from ${table(errors)} e
      where e.website = ${website}${ofPages(context)}
    )`;
  return sql`
select counted.*, visits.*
from (
  select ${COUNTS} from ${eventsIn(context, errors, context)}
) counted
cross join (
  select count(*)::float8 as sessions, (count(*) filter (where ${failed}))::float8 as failed_sessions
  from ${countedSessionsIn(context)}
) visits`;
}

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
