import { NAMING_TRAITS } from '@ledgerline/contracts/profiles';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import type { Row } from '@ledgerline/domain/query/rows';
import { unsealName, unsealProfileId } from '@ledgerline/platform/profiles/sealed-profile';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, countFields, orNull, seconds, text, textFields, timestamp, type Fields } from '../../fields';
import { numberIn, secondsOf, textIn, withoutDashes, columnOf, type SqlRow } from '../../sql-row';
import { queryType, type IdFilter, type QueryContext, type QueryType } from '../../query-type';
import { asNumber, columnList, distinctCount } from '../../sql/rollups';
import { ALWAYS, instant } from '../../sql/series';
import { countedSessionsIn, hitsIn, selectsHits, withSelectedView } from '../../sql/sessions';
import { atTimes, countRowsOf, directionOf, limitOf, textsOf } from '../../sql/single-rows';
import { singleVisitors } from '../../counting/ranked';
import { attributesIn } from '../../labels';

/** Of the newest session. */
const ATTRIBUTES = ['country', 'region', 'device_type', 'browser_name', 'os_name', 'referrer'];

const FIELDS: Fields = {
  visitor_id: text,
  profile_id: orNull(text),
  display_name: orNull(text),
  first_visit: timestamp,
  last_visit: timestamp,
  ...countFields(['session_count', 'total_events', 'unique_pages']),
  ...textFields(ATTRIBUTES),
  custom_event_count: count,
};

/** What is added up over the counted sessions of a visitor; rows can be sorted by each. */
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
  sessionColumns: singleVisitors,
});

export const profileDetail = profiles({
  name: 'profile_detail',
  description: 'What profile_list says about one visitor, with the time spent in all sessions',
  fields: { ...FIELDS, total_duration: seconds },
  requiredFilters: ['visitor_id'],
});

type Declared = Pick<QueryType, 'name' | 'description' | 'fields' | 'sessionColumns'> & {
  readonly requiredFilters?: IdFilter[];
};

function profiles(declared: Declared) {
  return queryType({
    ...declared,
    shape: 'list',
    category: 'Profiles',
    isComparable: false,
    sortedBySql: SORTS,
    countRows: countRowsOf(visitorsIn, (context) => distinctCount(context, websiteVisitors, { column: 'entrants' })),
    sources: { facts: fromFacts },
    complete: withProfileKeys,
    row: (found) => ({
      visitor_id: withoutDashes(textIn(found, 'visitor')),
      ...identityOf(found),
      ...attributesIn(found, ATTRIBUTES),
      total_duration: secondsOf(numberIn(found, 'total_duration')),
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
    ${limitOf(context)}
  ) ordered
)
select p.visitor, first_visit, last_visit, ${columnList(counts, asNumber)},
  identity.subject, identity.profile_id, identity.traits,
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
left join lateral ${identityOfVisitor(context, sql`p.visitor`)} identity on true
order by p.place`;
}

/** All page views of the counted sessions, also those that a filter on pages does not select. */
const viewsOfCounted = (context: QueryContext, own: Sql): Sql =>
  hitsIn({ ...context, filters: context.filters.filter((filter) => !selectsHits(filter)) }, ALWAYS, {
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

/** Who a visitor said to be, still sealed, as {@link identityOf} reads it. */
const identityOfVisitor = (context: QueryContext, visitor: Sql): Sql => sql`(
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from ${context.table(profileTraits)} t
    where t.website = ${context.website} and t.subject = said.subject and t.trait = any(${NAMING_TRAITS}::text[])
      and t.value is not null
  ) as traits
  from ${context.table(visitorProfiles)} said
  where said.website = ${context.website} and said.visitor = ${visitor}
)`;

/** Adds the keys of the profiles, as `key`; null where a profile was forgotten. */
async function withProfileKeys(found: readonly SqlRow[], main: Queryable): Promise<readonly SqlRow[]> {
  const subjects = found.map((row) => columnOf(row, 'subject')).filter((subject) => subject !== null);
  if (subjects.length === 0) return found.map((row) => ({ ...row, key: null }));
  const wanted = sql`select subject, key from profile_keys where subject = any(${subjects}::uuid[])`;
  const rows = await run<{ subject: string; key: Buffer }>(main, wanted);
  const keys = new Map(rows.map(({ subject, key }) => [subject, key]));
  return found.map((row) => ({ ...row, key: keys.get(textIn(row, 'subject')) ?? null }));
}

/** Who a row's visitor said to be. */
function identityOf(found: SqlRow): Row {
  const key = columnOf(found, 'key');
  if (!Buffer.isBuffer(key)) return { profile_id: null, display_name: null };
  const sealing = { subject: textIn(found, 'subject'), key };
  const traits = (columnOf(found, 'traits') ?? {}) as Readonly<Record<string, string>>;
  return {
    profile_id: unsealProfileId(sealing, textIn(found, 'profile_id')),
    display_name: unsealName(sealing, traits),
  };
}
