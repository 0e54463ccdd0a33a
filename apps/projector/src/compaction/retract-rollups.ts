import {
  bytesWithoutExtremes,
  hasExtremes,
  mergeRollupRows,
  retractionOf,
  RollupDeltas,
  type RollupRows,
  RollupRowsByWebsite,
} from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { kindsWith } from '@ledgerline/contracts/read-models/event-kinds';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { clickedIn } from '@ledgerline/contracts/sessions/session';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { WrittenTables } from '../projections/projection-group';
import type { HrefDomains } from '../projections/websites/href-domains';
import { readSessionsWith } from '../projections/websites/session-rows';

interface Retracted {
  /** Text id of the website. */
  readonly website: number;
  readonly calendar: Calendar;
  readonly domains: HrefDomains;
  /** By rollup; its sessions are gone from the tables. */
  readonly taken: ReadonlyMap<Rollup, RollupRows>;
}

/**
 * Takes sessions that are gone out of the rollups of a website: a row is added, and extremes that may have been theirs are
 * taken out of the other rows.
 * @throws RangeError where these cannot be read
 */
export async function retractRollups(on: Queryable, tables: WrittenTables, of: Retracted): Promise<void> {
  const { website, taken } = of;
  if (taken.size === 0) return;
  const remaining = await remainingRows(on, tables, of);
  for (const { schema, model } of tables.targetsOf(websiteRollups)) {
    const rows = new RollupRowsByWebsite();
    for (const [rollup, part] of taken) {
      if (!(rollup.name in model.columns)) continue;
      if (hasExtremes(rollup)) await forgetExtremes(on, identifier(schema, model.name), website, [rollup, part]);
      rows.add(rollup, retractionOf(rollup, part, remaining.get(rollup)));
    }
    await run(on, append(schema, model, rows.values()));
  }
}

const daysOf = ({ columns: [days] }: RollupRows): readonly number[] => [...new Set(days)];

/** In rows that are locked from then on: nobody merges them. */
async function forgetExtremes(
  on: Queryable,
  table: Sql,
  website: number,
  [rollup, taken]: readonly [Rollup, RollupRows],
): Promise<void> {
  const days = daysOf(taken);
  const column = identifier(rollup.name);
  const known: string[] = [];
  // TRICKY: a statement that waited for rows does not see those that they were merged into meanwhile
  for (let more = true; more;) {
    const rows = await run<{ number: string; bytes: Uint8Array }>(
      on,
      sql`select number::text, ${column} as bytes from ${table}
          where website = ${website} and ${column} is not null and not number = any(${known}::bigint[])
            and since <= ${Math.max(...days)} and until >= ${Math.min(...days)} for update`,
    );
    for (const { number, bytes } of rows) {
      known.push(number);
      const left = bytesWithoutExtremes(rollup, bytes, taken);
      if (!left) continue;
      await run(
        on,
        sql`update ${table} set ${column} = ${Buffer.from(left)}, size = size + ${left.length - bytes.length}
            where website = ${website} and number = ${number}::bigint`,
      );
    }
    more = rows.length > 0;
  }
}

const DAY_MS = 86_400_000;

/**
 * Returns what the sessions that are left have on the days of rollups whose extremes do not follow from what is taken
 * out.
 */
async function remainingRows(
  on: Queryable,
  { state }: WrittenTables,
  { website, calendar, domains, taken }: Retracted,
): Promise<ReadonlyMap<Rollup, RollupRows>> {
  const rollups = [...taken.keys()].filter(hasExtremes);
  const kinds = kindsWith(({ unit }) => rollups.some(({ of }) => of === unit));
  const days = [...new Set(rollups.flatMap((rollup) => daysOf(taken.get(rollup) as RollupRows)))]; // of a key
  const parts = new Map<Rollup, RollupRows[]>(rollups.map((rollup) => [rollup, []]));
  if (days.length === 0) return new Map();
  // a day of any zone, and what sessions that began on the day before have on it
  const times = days.map((day) => [(day - 1) * DAY_MS, (day + 2) * DAY_MS].map((at) => new Date(at).toISOString()));
  const wanted = sql`website = ${website} and hit_kind && ${kinds}::smallint[] and exists (
    select from unnest(${times.map(([since]) => since)}::timestamptz[], ${times.map(([, until]) => until)}::timestamptz[])
      as time (since, until) where last_at >= since and first_at < until
  )`;
  const pause = yieldToEventLoop();
  for await (const visitors of readSessionsWith(on, state, wanted)) {
    const some = new RollupDeltas();
    const clicked = clickedIn([...visitors.values()].flatMap(({ sessions }) => sessions));
    for (const [href, domain] of await domains.resolve(website, clicked)) some.addDomain(href, domain);
    for (const { sessions } of visitors.values())
      some.addVisitor({ website, calendar, visitor: null }, { added: sessions, removed: [], staying: [] });
    for (const [rollup, part] of some.parts(rollups)) parts.get(rollup)?.push(part);
    await pause();
  }
  return new Map(Array.from(parts, ([rollup, some]) => [rollup, mergeRollupRows(rollup, some)]));
}
