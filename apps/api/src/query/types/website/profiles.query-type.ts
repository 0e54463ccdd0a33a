import { aggregate, selectsHits } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { IdFilter } from '@ledgerline/contracts/attributes';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { instant, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  attributesIn,
  count,
  countFields,
  numberCell,
  seconds,
  secondsOf,
  textField,
  textFields,
  textIn,
  timestamp,
  withoutDashes,
  type ResultFields,
} from '../../declaration/fields';
import { singleVisitors } from '../../declaration/list-type';
import type { QueryContext } from '../../declaration/query-context';
import { queryType, type QueryType } from '../../declaration/query-type';
import {
  IDENTITY_COLUMNS,
  IDENTITY_FIELDS,
  asNumber,
  atTimes,
  columnList,
  directionOf,
  identityOf,
  identityOfVisitor,
  limitOffsetSql,
  countRowsSql,
  textsOf,
} from '../../sql/rows';
import { countedSessionsIn, hitsSql, withSelectedView } from '../../sql/sessions';
import { ALWAYS } from '../../sql/time';

/** Attributes of the newest session. */
const ATTRIBUTES = ['country', 'region', 'device_type', 'browser_name', 'os_name', 'referrer'];

const FIELDS: ResultFields = {
  visitor_id: textField,
  ...IDENTITY_FIELDS,
  first_visit: timestamp,
  last_visit: timestamp,
  ...countFields(['session_count', 'total_events', 'unique_pages']),
  ...textFields(ATTRIBUTES),
  custom_event_count: count,
};

/** The sums that are added up over the counted sessions of a visitor; rows can be sorted by each. */
const SUMS: Readonly<Record<string, Sql>> = {
  first_visit: sql`min(s.first_at)`,
  last_visit: sql`max(s.last_at)`,
  session_count: sql`count(*)`,
  total_events: sql`sum(s.pageviews + s.custom_events + s.outgoing_links)`,
  custom_event_count: sql`sum(s.custom_events)`,
  total_duration: sql`sum(s.duration_ms)`,
};
const SORTS = Object.keys(SUMS).filter((name) => name in FIELDS);

/** The visitors with a session in range. */
const visitorsIn = (context: QueryContext): Sql =>
  sql`(select distinct s.visitor from ${countedSessionsIn(context)} and s.visitor is not null) visitors`;

export const profileList = profiles({
  name: 'profile_list',
  description:
    'Visitors with a session in range, the one with the newest session first; country to referrer are of that',
  fields: FIELDS,
  counting: singleVisitors,
});

export const profileDetail = profiles({
  name: 'profile_detail',
  description: 'What profile_list says about one visitor, with the time spent in all sessions',
  fields: { ...FIELDS, total_duration: seconds },
  takes: { filters: ['visitor_id'] },
});

type Declared = Pick<QueryType, 'name' | 'description' | 'fields' | 'counting'> & {
  readonly takes?: { readonly filters: readonly IdFilter[] };
};

function profiles(declared: Declared) {
  return queryType({
    ...declared,
    shape: 'list',
    category: 'Profiles',
    sources: {
      facts: fromFacts,
      singles: {
        sortedBy: SORTS,
        countRows: (context) => countRowsSql(visitorsIn(context)),
        total: aggregate({ ...AGGREGATES.sessions, measures: { total_rows: 'visitors' } }),
      },
    },
    row: (found) => ({
      visitor_id: withoutDashes(textIn(found, 'visitor')),
      ...identityOf(found),
      ...attributesIn(found, ATTRIBUTES),
      total_duration: secondsOf(numberCell(found, 'total_duration')),
    }),
  });
}

/** Everything but the page is looked up by the key of the sessions, for the visitors of the page alone. */
function fromFacts(context: QueryContext): Sql {
  const sums = Object.entries(SUMS).map(([name, sum]) => sql`${sum} as ${identifier(name)}`);
  const counts = ['session_count', 'total_events', 'custom_event_count', 'total_duration', 'unique_pages'];
  const own = sql` and s.actor = p.visitor and s.visitor is not null`;
  return sql`
with page as (
  select visitor, row_number() over () as place from (${visitors(context)}
    ${limitOffsetSql(context)}
  ) ordered
)
select p.visitor, first_visit, last_visit, ${columnList(counts, asNumber)},
  ${IDENTITY_COLUMNS},
  ${textsOf('newest', ATTRIBUTES)}
from page p
cross join lateral (
  select ${joinSql(sums)} from ${countedSessionsIn(context)}${own}
) added
cross join lateral (
  select s.* from ${countedSessionsIn(context)}${own}
  order by s.first_at desc, s.session limit 1
) newest
cross join lateral (
  select count(distinct h.path) as unique_pages from ${viewsOfCounted(context, own)}
) viewed
${identityOfVisitor(context, sql`p.visitor`)}
order by p.place`;
}

/** All page views of the counted sessions, also those that a filter on pages does not select. */
const viewsOfCounted = (context: QueryContext, own: Sql): Sql =>
  hitsSql({ ...context, filters: context.filters.filter((filter) => !selectsHits(filter)) }, ALWAYS, {
    kind: sql`h.kind = ${HIT.view}`,
    of: sql`s.session`,
    columns: ['path'],
    where: sql`${own} and s.entered_at >= ${instant(context.from)} and s.entered_at < ${instant(context.to)}${withSelectedView(context)}`,
  });

/** The visitors in order. By default each is found by its newest session, so that no more is read than a page needs. */
function visitors(context: QueryContext): Sql {
  const sum = SUMS[context.sort?.field ?? ''];
  if (sum) {
    return sql`
    select s.visitor from ${countedSessionsIn(context)} and s.visitor is not null
    group by s.visitor
    order by ${sum} ${directionOf(context)}, max(s.first_at) desc, s.visitor`;
  }
  return sql`
    select o.visitor from (
      select s.visitor, s.session, s.first_at from ${countedSessionsIn(context)} and s.visitor is not null${atTimes(sql`s.first_at`, context)}
    ) o
    where not exists (
      select from ${countedSessionsIn(context)} and s.actor = o.visitor and s.visitor is not null
        and (s.first_at, o.session) > (o.first_at, s.session)
    )
    order by o.first_at desc, o.visitor`;
}
