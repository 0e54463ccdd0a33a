import { sql, identifier, joinSql, type Sql } from '@ledgerline/platform/database/sql';
import { count, list, orNull, seconds, text, timestamp } from '../../fields';
import { instantIn, numberIn, secondsOf, textIn } from '../../found';
import { websiteList } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn } from '../../sql/facts';
import { UNKNOWN } from './dimension';
import { WEBSITE_FILTERS } from './filters';
import { REFERRER } from './referrer';
import { hitsOfSession, sessionEvents, withoutDashes } from './session-events';
import { countryName } from '@ledgerline/domain/query/countries';

const SORTS: Readonly<Record<string, string>> = {
  first_visit: 'first_at',
  last_visit: 'last_at',
  duration: 'duration_ms',
  page_views: 'pageviews',
};

const WORDS = ['country', 'referrer', 'device_type', 'browser_name', 'os_name'];

export const sessionList = websiteList({
  name: 'session_list',
  category: 'Sessions',
  meaning: 'Individual sessions with their events, newest first',
  publicAccess: false,
  allowedFilters: WEBSITE_FILTERS,
  fields: {
    session_id: text,
    visitor_id: orNull(text),
    first_visit: timestamp,
    last_visit: timestamp,
    duration: seconds,
    page_views: count,
    country: text,
    referrer: text,
    device_type: text,
    browser_name: text,
    os_name: text,
    events: list,
  },
  order: [],
  sortedBySql: Object.keys(SORTS),
  answers: { facts: fromFacts },
  row: (found) => ({
    session_id: withoutDashes(textIn(found, 'session')),
    visitor_id: withoutDashes(textIn(found, 'visitor')) || null,
    first_visit: instantIn(found, 'first_at'),
    last_visit: instantIn(found, 'last_at'),
    duration: secondsOf(numberIn(found, 'duration_ms')),
    page_views: numberIn(found, 'pageviews'),
    country: countryName(textIn(found, 'country')) || UNKNOWN,
    referrer: REFERRER.of(textIn(found, 'referrer')).name,
    device_type: textIn(found, 'device_type') || UNKNOWN,
    browser_name: textIn(found, 'browser_name') || UNKNOWN,
    os_name: textIn(found, 'os_name') || UNKNOWN,
    events: sessionEvents(found['hits']),
  }),
});

function fromFacts(question: WebsiteQuestion): Sql {
  const { page, limit } = question.page;
  const order = orderOf(question);
  const words = WORDS.map(
    (word) => sql`
  (select word from words where id = s.${identifier(word)}) as ${identifier(word)}`,
  );
  return sql`
with page as (
  select s.* from ${countedSessionsIn(question, question.from, question.to)}
  ${order} limit ${limit} offset ${(page - 1) * limit}
)
select s.session, s.visitor, s.first_at, s.last_at, s.duration_ms::float8 as duration_ms, s.pageviews,${joinSql(words, ',')},
  ${hitsOfSession(question)} as hits
from page s
${order}`;
}

function orderOf({ sort }: WebsiteQuestion): Sql {
  const newestFirst = sql`s.first_at desc, s.session, s.unit`;
  const column = sort ? SORTS[sort.field] : undefined;
  if (!sort || column === undefined) return sql`order by ${newestFirst}`;
  return sql`order by ${identifier('s', column)} ${sort.direction === 'asc' ? sql`asc` : sql`desc`}, ${newestFirst}`;
}
