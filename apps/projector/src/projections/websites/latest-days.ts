import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { closeDays } from './close-days';
import { closeTransitions } from './close-transitions';
import type { IsClosed } from './rollup';
import type { VisitorHits } from './visitor-hits';

/** By text id of the website: its latest day, as days since 1970-01-01. */
type DayOfWebsite = ReadonlyMap<number, number>;

/** The latest day of each website of a batch, before and after it. */
export class LatestDays {
  private readonly later: Map<number, number>;

  constructor(private readonly before: DayOfWebsite) {
    this.later = new Map(before);
  }

  add({ website, calendar, arrivals }: Pick<VisitorHits, 'website' | 'calendar' | 'arrivals'>): void {
    for (const { hit } of arrivals) {
      const day = calendar.day(hit.at);
      if (day > (this.later.get(website) ?? -Infinity)) this.later.set(website, day);
    }
  }

  get after(): DayOfWebsite {
    return this.later;
  }

  readonly isClosed: IsClosed = ({ website, day }) => (day as number) < (this.later.get(website as number) ?? Infinity);

  /** Adds the days that are over to their blocks, as they were before the batch. */
  *statements(schema: string): Iterable<Sql> {
    const moved = [...this.later].filter(([website, day]) => day !== this.before.get(website));
    if (moved.length === 0) return;
    const over = moved.flatMap(([website]) => {
      const day = this.before.get(website);
      return day === undefined ? [] : [{ website, day }];
    });
    if (over.length > 0) yield* [...closeDays(schema, over), closeTransitions(schema, over)];
    const rows = moved.map(([website, latest_day]): Row => ({ website, latest_day }));
    yield upsert(schema, websiteDays, rows);
  }
}

/** From the table, or from the batch before while that is not written yet. */
export async function latestDaysBefore(
  on: Queryable,
  schema: string,
  visits: Iterable<Pick<VisitorHits, 'website'>>,
  unwritten: DayOfWebsite = new Map(),
): Promise<DayOfWebsite> {
  const days = new Map<number, number>();
  const unknown = new Set<number>();
  for (const { website } of visits) {
    const day = unwritten.get(website);
    if (day === undefined) unknown.add(website);
    else days.set(website, day);
  }
  if (unknown.size === 0) return days;
  const lookup = sql`
    select website, latest_day - '1970-01-01'::date as day from ${identifier(schema, websiteDays.name)}
    where website = any(${[...unknown]}::int[])`;
  const rows = await runPrepared<{ website: number; day: number }>(on, `latest days ${schema}`, lookup);
  for (const { website, day } of rows) days.set(website, day);
  return days;
}
