import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { resolution } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { isAppended, writeTo, type WrittenTables } from '../written-tables';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import type { WebsiteDay } from './close-days';

/**
 * Moves the steps of these days into the histograms of all blocks that they lie in. TRICKY: the offset keeps Postgres
 * from joining in another way than by looking up each day in the index.
 */
export const closeTransitions = (tables: WrittenTables, days: readonly WebsiteDay[]): readonly Sql[] =>
  isAppended(tables, latestTransitions)
    ? []
    : writeTo(tables, latestTransitions, (schema) => ({
        name: `close ${schema}.${latestTransitions.name}`,
        text: closing(
          schema,
          `ctid = any(array(
        select t.ctid from unnest($1::integer[], $2::integer[]) as closed (website, number)
        cross join lateral (
          select ctid from ${quoted(schema, latestTransitions)}
          where website = closed.website and day = '1970-01-01'::date + closed.number offset 0
        ) t
      ))`,
        ),
        values: [days.map(({ website }) => website), days.map(({ day }) => day)],
      }));

/** The same for all days that are over. */
export const closeAllTransitions = (schema: string): string =>
  closing(
    schema,
    `day < (select latest_day from ${quoted(schema, websiteDays)} w where w.website = steps_of_day.website)`,
  );

function closing(schema: string, isOver: string): string {
  return `with gone as (
      delete from ${quoted(schema, latestTransitions)} steps_of_day where ${isOver}
      returning website, day - '1970-01-01'::date as number, from_path, to_path, transitions, sessions
    ), added as (
      select website, span, '1970-01-01'::date + (floor(number / span::float8) * span)::integer as day, from_path,
        repeated, to_path, sum(count) as count
      from gone cross join lateral (values (0, sessions), (1, transitions - sessions)) as each (repeated, count)
      cross join unnest('{${SPANS.join(', ')}}'::smallint[]) as span
      where count > 0
      group by 1, 2, 3, 4, 5, 6
    )
    insert into ${quoted(schema, pageTransitions)} as old (website, span, day, from_path, repeated, steps, taken)
    select website, span, day, from_path, repeated,
      array_agg((to_path::bigint << 32) + count::bigint order by to_path), sum(count)
    from added
    group by website, span, day, from_path, repeated
    order by website, span, day, from_path, repeated
    on conflict (website, span, day, from_path, repeated) do ${resolution(pageTransitions)}`;
}

const quoted = (schema: string, { name }: { readonly name: string }) => identifier(schema, name).text;
