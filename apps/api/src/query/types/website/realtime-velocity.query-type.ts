import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, timestamp } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { instant } from '../../sql/series';
import { hitsIn } from '../../sql/sessions';

const MINUTES = 60;
const MINUTE_MS = 60_000;

export const realtimeVelocity = queryType({
  name: 'realtime_velocity',
  about: 'website',
  shape: 'list',
  category: 'Realtime',
  isAboutNow: true,
  description:
    'Page views, events and visitors of each of the last sixty minutes, the present one last; a limit keeps the newest',
  fields: { minute: timestamp, pageviews: count, events: count, visitors: count },
  order: [{ field: 'minute', direction: 'asc' }],
  pagesFromNewest: true,
  sources: { facts: fromFacts },
});

function fromFacts(context: QueryContext): Sql {
  const { now } = context;
  const present = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const first = present - (MINUTES - 1) * MINUTE_MS;
  const hits = hitsIn(
    context,
    { from: first, to: now + 1 },
    {
      kind: sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`,
      of: sql`s.visitor`,
      where: emptySql,
    },
  );
  const isView = sql`filter (where h.kind = ${HIT.view})`;
  return sql`
select minute, coalesce(pageviews, 0)::float8 as pageviews, coalesce(events, 0)::float8 as events,
  coalesce(visitors, 0)::float8 as visitors
from generate_series(${instant(first)}, ${instant(present)}, interval '1 minute') as minutes(minute)
left join (
  select date_bin(interval '1 minute', h.at, ${instant(first)}) as minute, count(*) ${isView} as pageviews,
    count(*) as events, count(distinct h.visitor) ${isView} as visitors
  from ${hits}
  group by 1
) happened using (minute)
order by minute`;
}
