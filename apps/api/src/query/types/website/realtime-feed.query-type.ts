import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { countryName } from '@ledgerline/domain/query/countries';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { orNull, text, textIn, timestamp } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { lastFiveMinutes } from '../../sql/last-minutes';
import { hitsIn } from '../../sql/sessions';
import { eventName } from './session-events';
import { UNKNOWN } from '../../labels';

export const realtimeFeed = queryType({
  name: 'realtime_feed',
  about: 'website',
  shape: 'list',
  category: 'Realtime',
  isAboutNow: true,
  description: 'Page views, custom events and outgoing links of the last five minutes, newest first',
  fields: { timestamp, event_name: text, path: orNull(text), country: text, browser_name: text },
  sortedBySql: ['timestamp'],
  sources: { facts: fromFacts },
  row: (found) => ({
    event_name: eventName(found),
    country: countryName(textIn(found, 'country')) || UNKNOWN,
    browser_name: textIn(found, 'browser_name') || UNKNOWN,
  }),
});

function fromFacts(context: QueryContext): Sql {
  const { page, sort } = context;
  const hits = hitsIn(context, lastFiveMinutes(context), {
    kind: sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`,
    of: sql`s.country, s.browser_name`,
    columns: ['id', 'path', 'text'],
    where: emptySql,
  });
  const order = sort?.direction === 'asc' ? sql`h.at, h.id` : sql`h.at desc, h.id desc`;
  return sql`
with feed as (
  select *, count(*) over () as total_rows from ${hits}
  order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
)
select h.at as timestamp, h.kind::float8 as kind, content.text, path.text as path, country.text as country,
  browser.text as browser_name, h.total_rows::float8 as total_rows
from feed h
left join dictionary content on h.kind = ${HIT.custom} and content.id = h.text
left join dictionary path on path.id = h.path
left join dictionary country on country.id = h.country
left join dictionary browser on browser.id = h.browser_name
order by ${order}`;
}
