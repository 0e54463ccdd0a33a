import { RollupDeltas, RollupRowsByWebsite } from '@ledgerline/aggregation/aggregation';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { linkDomains, websiteDays, websiteNewestEvents } from '@ledgerline/contracts/read-models/website-facts';
import { clickedIn, hrefOf, hrefsOf } from '@ledgerline/contracts/sessions/session';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import { runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import { FoldedRows, type ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { append, deleteRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import {
  upsertInto,
  writeTo,
  type TableChanges,
  type StoredVisitor,
  type WebsiteState,
  type WrittenTables,
} from '../projection-group';
import { ChangedDays } from './changed-days';
import { FactChanges } from './fact-changes';
import type { HrefDomains } from './href-domains';
import type { VisitorHits } from './read-hit';
import { loadVisitors, sessionRow } from './session-rows';

type Visits = ReadonlyMap<string, VisitorHits>;
type StoredVisitors = ReadonlyMap<string, StoredVisitor>;

interface Batch {
  readonly visits: Visits;
  /** Rows that depend on their events alone, one per key. */
  readonly others: readonly FoldedRows[];
  readonly domains: HrefDomains;
  /** See {@link ChangedDays}. */
  readonly listedSince?: number | undefined;
}

/** Loads the sessions of all visitors in the batch, adds their hits, and returns what that changes in every table. */
export async function computeChanges(
  on: Queryable,
  tables: WrittenTables,
  { visits, domains, others, listedSince }: Batch,
  unwritten: TableChanges | undefined,
): Promise<TableChanges> {
  const written = others
    .filter(({ size }) => size > 0)
    .flatMap((rows) => upsertInto(tables, rows.model, rows.values()));
  if (visits.size === 0) return { statements: written };
  const before = await visitorsBefore(on, tables.state, visits, unwritten?.visitors);
  const websites = new WebsiteStates(await statesBefore(on, tables.state, visits.values(), unwritten?.websites));
  const days = new ChangedDays(listedSince);
  const changes = new BatchChanges(await resolveDomains(domains, visits, before), websites, days);
  const visitors = new Map<string, StoredVisitor>();
  const pause = yieldToEventLoop();
  for (const [key, visit] of visits) {
    visitors.set(key, changes.add(visit, before.get(key)));
    await pause();
  }
  await changes.finish(on, tables, pause);
  const statements: Sql[] = [];
  for (const statement of changes.statements(tables)) {
    statements.push(statement);
    await pause();
  }
  return { statements: [...statements, ...written], visitors, websites: websites.after, hits: changes.hits };
}

/** From the table, or from the batch before while that is not written yet. */
async function visitorsBefore(
  on: Queryable,
  schema: string,
  visits: Visits,
  unwritten: StoredVisitors = new Map(),
): Promise<StoredVisitors> {
  const wanted = [...visits].filter(([key]) => !unwritten.has(key)).map(([, visit]) => visit);
  const visitors = await loadVisitors(on, schema, wanted);
  for (const key of visits.keys()) {
    const known = unwritten.get(key);
    if (known) visitors.set(key, known);
  }
  return visitors;
}

/** The hosts of everything these visitors clicked, now or before. */
export async function resolveDomains(
  domains: HrefDomains,
  visits: Visits,
  before: StoredVisitors = new Map(),
): Promise<ReadonlyMap<number, number>> {
  const hrefs = new Map<number, number[]>();
  for (const [key, { website, arrivals }] of visits) {
    const clicked = hrefs.get(website) ?? [];
    for (const href of hrefsOf(arrivals.map(({ hit }) => hit))) clicked.push(href);
    for (const href of clickedIn(before.get(key)?.sessions ?? [])) clicked.push(href);
    if (clicked.length > 0) hrefs.set(website, clicked);
  }
  const resolved = new Map<number, number>();
  for (const [website, clicked] of hrefs)
    for (const [href, domain] of await domains.resolve(website, clicked)) resolved.set(href, domain);
  return resolved;
}

/** The changes of a batch: sessions that were added or replaced, sessions that are gone, and deltas of rollups. */
export class BatchChanges {
  /** Hits of the changed sessions. */
  hits = 0;
  private readonly sessions: ReadModelRow[] = [];
  private readonly gone: ReadModelRow[] = [];
  private readonly rollups = new RollupDeltas();
  private readonly rollupRows = new RollupRowsByWebsite();
  private readonly facts = new FactChanges(this.rollups);
  private readonly links = new FoldedRows(linkDomains);
  private readonly newest = new FoldedRows(websiteNewestEvents);

  /** @param domains the host of each href, as text ids */
  constructor(
    private readonly domains: ReadonlyMap<number, number>,
    private readonly websites: WebsiteStates,
    private readonly days = new ChangedDays(),
  ) {
    for (const [href, domain] of domains) this.rollups.addDomain(href, domain);
  }

  /** Adds a visit and returns the visitor as it is stored afterwards. */
  add(visit: VisitorHits, stored: StoredVisitor | undefined): StoredVisitor {
    const { website, actor, visitor } = visit;
    this.websites.add(visit);
    this.addLinks(visit);
    const number = visitor === null ? null : (stored?.number ?? this.websites.nextVisitor(website));
    const before = stored?.sessions ?? [];
    const after = addHits(visitor, before, visit.arrivals);
    const old = new Set(before);
    const now = new Set(after);
    const added = after.filter((session) => !old.has(session));
    const removed = before.filter((session) => !now.has(session));
    for (const session of added) {
      this.sessions.push(sessionRow({ ...visit, number }, session));
      this.hits += session.hits.length;
      this.newest.add({ website, newest_at: session.lastAt });
    }
    const gone = removed.filter(({ id }) => !added.some((session) => session.id === id));
    for (const { id } of gone) this.gone.push({ website, actor, session: id });
    this.facts.add(visit, { added, removed, gone, unwritten: stored?.columns });
    this.days.add(visit, added, removed);
    this.rollups.addVisitor(visit, { added, removed, staying: after.filter((session) => old.has(session)) });
    return { number, sessions: after, columns: visit.columns };
  }

  private addLinks({ website, arrivals }: VisitorHits): void {
    for (const { hit } of arrivals) {
      const value = hrefOf(hit);
      const domain = value === undefined ? undefined : this.domains.get(value);
      if (value !== undefined && domain !== undefined) this.links.add({ website, value, domain });
    }
  }

  /** Reads and computes what else the statements need; to be called after all visits were added. */
  async finish(on: Queryable, tables: WrittenTables, pause: () => Promise<void>): Promise<void> {
    await this.facts.takeOut(on, tables);
    if (tables.targetsOf(websiteRollups).length === 0) return;
    for (const [rollup, part] of this.rollups.parts()) {
      this.rollupRows.add(rollup, part);
      await pause();
    }
  }

  /** Rows of tables that have none of these visitors yet: they only come in addition. */
  *added(): Iterable<readonly [ReadModel, readonly ReadModelRow[]]> {
    yield [sessionsModel, this.sessions];
    yield* this.facts.added();
    yield [websiteRollups, this.rollupRows.values()];
  }

  /** Rows of tables that others may have written, too, one per key. */
  *shared(): Iterable<readonly [ReadModel, readonly ReadModelRow[]]> {
    yield [sessionDayStates, this.days.statesOfUnlisted()];
    yield [linkDomains, this.links.values()];
    yield [websiteNewestEvents, this.newest.values()];
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    if (this.gone.length > 0) yield deleteRows(tables.state, sessionsModel, this.gone);
    if (this.sessions.length > 0) yield upsert(tables.state, sessionsModel, this.sessions);
    yield* this.websites.statements(tables);
    yield* this.days.statements(tables);
    yield* this.facts.statements(tables);
    const rollups = this.rollupRows.values();
    const links = this.links.values();
    if (rollups.length > 0) yield* writeTo(tables, websiteRollups, (schema, model) => append(schema, model, rollups));
    if (links.length > 0) yield* upsertInto(tables, linkDomains, links);
    yield* upsertInto(tables, websiteNewestEvents, this.newest.values());
  }
}

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
    const rows = [...this.later].flatMap(([website, { latestDay, visitors }]): ReadModelRow[] => {
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
async function statesBefore(
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
