import { websiteDays } from '@ledgerline/contracts/read-models/website-facts';
import { runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteState, WrittenTables } from '../projection-group';
import type { VisitorHits } from './read-hit';

/** By text id of the website. */
type StateOfWebsite = ReadonlyMap<number, WebsiteState>;

/** The states of the websites of a batch, before and after it. */
export class WebsiteStates {
  private readonly later: Map<number, WebsiteState>;

  constructor(private readonly before: StateOfWebsite) {
    this.later = new Map(before);
  }

  add({ website, calendar, arrivals }: Pick<VisitorHits, 'website' | 'calendar' | 'arrivals'>): void {
    const state = this.stateOf(website);
    const latestDay = arrivals.reduce((day, { hit }) => Math.max(day, calendar.day(hit.at)), state.latestDay);
    this.later.set(website, { ...state, latestDay });
  }

  /** The number of a visitor who has none yet. */
  nextVisitor(website: number): number {
    const { latestDay, visitors } = this.stateOf(website);
    this.later.set(website, { latestDay, visitors: visitors + 1 });
    return visitors;
  }

  get after(): StateOfWebsite {
    return this.later;
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    const rows = [...this.later].flatMap(([website, { latestDay, visitors }]): Row[] => {
      const old = this.before.get(website);
      const isSame = old?.latestDay === latestDay && old.visitors === visitors;
      return isSame ? [] : [{ website, latest_day: latestDay, visitors }];
    });
    if (rows.length > 0) yield upsert(tables.state, websiteDays, rows);
  }

  private stateOf(website: number): WebsiteState {
    return this.later.get(website) ?? { latestDay: -Infinity, visitors: 0 };
  }
}

/** From the table, or from the batch before while that is not written yet. */
export async function statesBefore(
  on: Queryable,
  schema: string,
  visits: Iterable<Pick<VisitorHits, 'website'>>,
  unwritten: StateOfWebsite = new Map(),
): Promise<StateOfWebsite> {
  const states = new Map<number, WebsiteState>();
  const unknown = new Set<number>();
  for (const { website } of visits) {
    const state = unwritten.get(website);
    if (state === undefined) unknown.add(website);
    else states.set(website, state);
  }
  if (unknown.size === 0) return states;
  const lookup = sql`
    select website, latest_day - '1970-01-01'::date as "latestDay", visitors
    from ${identifier(schema, websiteDays.name)} where website = any(${[...unknown]}::int[])`;
  const rows = await runPrepared<WebsiteState & { website: number }>(on, `website states ${schema}`, lookup);
  for (const { website, latestDay, visitors } of rows) states.set(website, { latestDay, visitors });
  return states;
}
