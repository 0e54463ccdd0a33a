import { aggregate, BUCKET, join } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import * as models from '@ledgerline/contracts/read-models/website-facts';
import { percentage } from '@ledgerline/domain/query/rows';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  attributesIn,
  count,
  countFields,
  idIn,
  numberCell,
  nullableField,
  percent,
  textField,
  textAs,
  textFields,
  timestamp,
} from '../../declaration/fields';
import { listQueryType, singleUnits } from '../../declaration/list-type';
import type { QueryContext } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';
import { singlesPageSql, countRowsSql, textColumnSql, textsOf } from '../../sql/rows';
import { eventsIn } from '../../sql/sessions';

const ERRORS = { category: 'Errors', publicAccess: true } as const;

const ALL = aggregate({
  ...AGGREGATES.errors,
  measures: {
    total_errors: 'count',
    unique_errors: { different: ['message', 'error_messages'] },
    affected_users: 'visitors',
    affected_sessions: 'sessions',
  },
});

export const errorSummary = queryType({
  ...ERRORS,
  name: 'error_summary',
  shape: 'totals',
  description: 'Error counts and impact; error_rate = sessions with an error in all sessions',
  fields: {
    ...countFields(['total_errors', 'unique_errors', 'affected_users', 'affected_sessions']),
    error_rate: percent,
  },
  counting: { plan: join([], ALL, aggregate(AGGREGATES.failed_sessions)) },
  row: (found) => ({ error_rate: percentage(numberCell(found, 'failed_sessions'), numberCell(found, 'sessions')) }),
});

export const errorTypes = listQueryType({
  ...ERRORS,
  name: 'error_types',
  description: 'Errors by type, such as TypeError',
  fields: { count, users: count, last_seen: timestamp },
  count: aggregate(AGGREGATES.error_types),
});

const fields = { errors: count, users: count };

export const errorsByPage = listQueryType({
  ...ERRORS,
  name: 'errors_by_page',
  description: 'Errors by the page they happened on',
  labels: textAs('name'),
  fields,
  count: aggregate(AGGREGATES.error_pages),
});

export const errorTrends = queryType({
  ...ERRORS,
  name: 'error_trends',
  shape: 'series',
  description: 'Errors and the visitors who had them over time',
  fields: { date: textField, ...fields },
  counting: {
    plan: aggregate({
      ...AGGREGATES.errors,
      by: { bucket: BUCKET },
      measures: { errors: 'count', users: 'visitors' },
    }),
  },
});

/** Attributes of the session where it has a page view, else of the error itself. */
const ATTRIBUTES = ['browser_name', 'os_name', 'device_type', 'country'];
const TEXTS = ['message', 'path', 'filename', 'error_type'];

export const recentErrors = queryType({
  name: 'recent_errors',
  shape: 'list',
  category: 'Errors',
  description: 'Latest JavaScript errors, newest first',
  fields: {
    message: textField,
    stack: nullableField(textField),
    path: textField,
    visitor_id: nullableField(textField),
    session_id: nullableField(textField),
    timestamp,
    filename: nullableField(textField),
    lineno: nullableField(count),
    colno: nullableField(count),
    error_type: nullableField(textField),
    ...textFields(ATTRIBUTES),
  },
  sources: {
    facts: singleErrors,
    singles: {
      sortedBy: ['timestamp'],
      countRows: (context) => countRowsSql(eventsIn(context, models.errors)),
      total: aggregate({ ...AGGREGATES.errors, measures: { total_rows: 'count' } }),
    },
  },
  counting: singleUnits('errors'),
  row: (found) => ({
    visitor_id: idIn(found, 'visitor'),
    session_id: idIn(found, 'session'),
    ...attributesIn(found, ATTRIBUTES),
  }),
});

function singleErrors(context: QueryContext): Sql {
  const attributes = ATTRIBUTES.map((name) =>
    textColumnSql(sql`coalesce(${identifier('s', name)}, ${identifier('e', name)})`, name),
  );
  return singlesPageSql(context, {
    row: 'e',
    from: eventsIn(context, models.errors),
    columns: sql`e.at as timestamp, e.visitor, e.session, e.stack, e.lineno::float8 as lineno, e.colno::float8 as colno,
  ${textsOf('e', TEXTS)},
  ${joinSql(attributes, ',\n  ')}`,
    joins: sql`
left join ${context.table(sessions)} s
  on s.website = ${context.website} and s.actor = coalesce(e.visitor, e.session) and s.session = e.session
  and s.entered_at is not null`,
  });
}
