import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { resolution } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { writeTo, type WrittenTables } from '../written-tables';
import type { WebsiteDay } from './close-days';

/**
 * Moves the steps of these days, each of another website, into the histograms of all blocks that they lie in. TRICKY: the
 * offset keeps Postgres from joining in another way than by looking up each day in the index.
 */
export const closeTransitions = (tables: WrittenTables, days: readonly WebsiteDay[]): readonly Sql[] =>
  writeTo(tables, latestTransitions, (schema) => closing(schema, days));

function closing(schema: string, days: readonly WebsiteDay[]): Sql {
  const [latest, blocks] = [latestTransitions, pageTransitions].map(({ name }) => identifier(schema, name).text);
  return {
    name: `close ${schema}.${latestTransitions.name}`,
    text: `with gone as (
      delete from ${latest} where ctid = any(array(
        select t.ctid from unnest($1::integer[], $2::integer[]) as closed (website, number)
        cross join lateral (
          select ctid from ${latest}
          where website = closed.website and day = '1970-01-01'::date + closed.number offset 0
        ) t
      ))
      returning website, day - '1970-01-01'::date as number, from_path, to_path, transitions, sessions
    ), counted as (
      select website, number, from_path, repeated, array_agg((to_path::bigint << 32) + count order by to_path) as steps,
        sum(count) as taken
      from gone cross join lateral (values (0, sessions), (1, transitions - sessions)) as each (repeated, count)
      where count > 0
      group by website, number, from_path, repeated
    )
    insert into ${blocks} as old (website, span, day, from_path, repeated, steps, taken)
    select website, span, '1970-01-01'::date + (floor(number / span::float8) * span)::integer, from_path, repeated, steps,
      taken
    from counted cross join unnest('{${SPANS.join(', ')}}'::smallint[]) as span
    order by website, span, from_path, repeated
    on conflict (website, span, day, from_path, repeated) do ${resolution(pageTransitions)}`,
    values: [days.map(({ website }) => website), days.map(({ day }) => day)],
  };
}
