import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { ALWAYS } from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import { compareRows, type RowDifference } from '@ledgerline/platform/database/compare-rows';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { difference, type Row } from '@ledgerline/platform/database/read-model-rows';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import type { PoolClient } from 'pg';
import { DayChanges } from '../projections/websites/day-changes';
import { Dictionary } from '../projections/websites/dictionary';
import { EVENT_FACTS } from '../projections/websites/event-facts.projections';
import { sessionOfFacts } from '../projections/websites/fact-changes';
import { HrefDomains } from '../projections/websites/href-domains';
import { isWebsiteEvent, readHit, type WebsiteEvent } from '../projections/websites/read-hit';
import { loadVisitors } from '../projections/websites/session-rows';
import { addToVisitorHits, type VisitorHits } from '../projections/websites/visitor-hits';
import { statesBefore, WebsiteStates } from '../projections/websites/website-states';
import type { WrittenTables } from '../projections/written-tables';
import { reviseParked } from '../runner/parked-events';
import { compareBlocks, LONGEST, replaceBlocks } from './compare-blocks';
import { compareSealed } from './compare-sealed';
import { compareWindow, replaceWithin } from './compare-window';
import { ExpectedRollups, type WebsiteWindow } from './expected-rollups';
import type { Finding, SubjectDay } from './findings';
import { answeringTable, positionOf, type LivePartition } from './live-partition';
import { eventsBetween, type LogPart } from './log-counts';
import { actorsIn, hrefsOf, readWindow } from './stored-window';
import { differenceOf, differingVisitors, freeNumbers, replaceSessions, type ComparedVisitor } from './true-sessions';
import { VisitorsOfDay } from './visitors-of-day';
import { readClosed, utcDaysOf, windowOf } from './website-parts';

const BEGIN = `begin; set local idle_in_transaction_session_timeout = '300s'; set local lock_timeout = '60s'`;
const MAX_TRIES = 5;

/**
 * Makes the tables of a website hold for a day what follows from the log: sessions and facts of the visitors of that
 * day, and then the rollups of all days that depend on them. The projector of the partition waits for the last step
 * alone. Answers what differed.
 */
export async function repairWebsiteDay(live: LivePartition, day: SubjectDay): Promise<Finding[]> {
  const { pool, part, tables, key } = live;
  const zone = await findZone(part, day.subject, await positionOf(pool, live));
  const dictionary = new Dictionary(pool);
  const [website] = await dictionary.intern([day.subject], (id, strings) => strings.website(id));
  const of = windowOf(website ?? 0, zone, day.day, day.day);
  const wanted = { websiteId: day.subject, day: day.day, begin: of.begin, end: of.end, calendar: calendarOf(zone) };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const actors = await actorsIn(pool, tables.state, of);
    const visitors = await VisitorsOfDay.read(part, wanted, await positionOf(pool, live), actors);
    const work = async (client: PoolClient) => {
      await run(client, reviseParked(key)); // locks the checkpoint
      const hasRead = await visitors.readOn(await positionOf(client, live));
      const isWhole = hasRead && hasAll(visitors, await actorsIn(client, tables.state, of));
      return isWhole ? new DayRepair(client, tables, of, dictionary).run(visitors) : undefined;
    };
    const differences = await transaction(pool, work, BEGIN);
    if (differences) return differences.map((each) => ({ ...each, subject: day.subject }));
  }
  throw new Error('Visitors of the day arrive faster than their events are read; try again when it is quieter.');
}

/** That of the website's first event; without one there are no days. */
async function findZone(part: LogPart, websiteId: string, upTo: Cursor): Promise<string> {
  for await (const [events] of eventsBetween(part, BEGINNING, upTo)) {
    const first = events
      .map(({ event }) => event)
      .find((event) => isWebsiteEvent(event) && event.data.websiteId === websiteId);
    if (first && isWebsiteEvent(first)) return first.data.zone;
  }
  return 'UTC';
}

const hasAll = ({ actors }: VisitorsOfDay, stored: readonly string[]) => stored.every((actor) => actors.has(actor));

type Difference = RowDifference & { readonly table: string; readonly day: number };

/** A repair while the checkpoint is locked. */
class DayRepair {
  private readonly domains: HrefDomains;
  private readonly differences: Difference[] = [];

  constructor(
    private readonly on: Queryable,
    private readonly tables: WrittenTables,
    private readonly of: WebsiteWindow,
    private readonly dictionary: Dictionary,
  ) {
    this.domains = new HrefDomains(dictionary);
  }

  async run({ actors, events }: VisitorsOfDay): Promise<readonly Difference[]> {
    const { on, tables } = this;
    const { state } = tables;
    const { website, since: day } = this.of;
    const hits = await this.read(events);
    const states = new WebsiteStates(await statesBefore(on, state, [{ website }]));
    for (const visit of hits.values()) states.add(visit);
    const stored = await loadVisitors(
      on,
      state,
      [...actors].map((actor) => ({ website, actor })),
    );
    const actual = new Map([...hits].map(([key, visit]) => [key, addHits(visit.visitor, [], visit.arrivals)]));
    const lost = [...actual.keys()].filter((key) => !stored.has(key));
    const numbers = lost.length > 0 ? await freeNumbers(on, state, website, lost.length) : [];
    const nextNumber = () => numbers.shift() ?? states.nextVisitor(website);
    const changed = differingVisitors(website, actors, { hits, actual, stored, nextNumber });
    for (const statement of states.statements(tables)) await run(on, statement);
    const found = differenceOf(website, changed);
    if (found) this.differences.push({ table: sessionsModel.name, day, ...found });
    const days = new Set([day, ...(await this.daysOf(changed))]);
    await replaceSessions(on, tables, website, changed);
    await this.repairFacts([...hits].map(([key, visit]) => [visit, actual.get(key) ?? []]));
    await this.repairRollups([...days].sort((a, b) => a - b));
    return this.differences;
  }

  private async read(events: readonly WebsiteEvent[]): Promise<Map<string, VisitorHits>> {
    const hits = new Map<string, VisitorHits>();
    for (const [place, hit] of (await this.dictionary.intern(events, readHit)).entries()) {
      const event = events[place];
      if (event) addToVisitorHits(hits, hit, event);
    }
    return hits;
  }

  /** The days of all rows that other sessions of these visitors change. */
  private async daysOf(visitors: readonly ComparedVisitor[]): Promise<ReadonlySet<number>> {
    const { calendar } = this.of;
    const sessions = visitors.flatMap(({ stored, actual }) => [...stored, ...actual]);
    const hosts = await this.domains.resolve(this.of.website, hrefsOf(sessions));
    const [before, after] = [0, 1].map(() => {
      return new ExpectedRollups(
        { ...this.of, ...ALWAYS, begin: -Infinity, end: Infinity },
        (href) => hosts.get(href) ?? 0,
      );
    }) as [ExpectedRollups, ExpectedRollups];
    for (const { visitor, stored, actual } of visitors) {
      before.addSessions(visitor, stored);
      after.addSessions(visitor, actual);
    }
    const days = new Set<number>();
    const late = after.rollups.map(({ rows }) => rows);
    for (const [place, { rows }] of before.rollups.entries()) {
      const now = late[place];
      if (!now) continue;
      for (const row of difference(rows, now)) {
        days.add(row.day === undefined ? calendar.day(row.hour as number) : (row.day as number));
      }
    }
    return days;
  }

  private async repairFacts(visitors: readonly (readonly [VisitorHits, readonly Session[]])[]): Promise<void> {
    const { on, tables } = this;
    const { website, begin, end, since: day } = this.of;
    for (const { builds: model, kind } of EVENT_FACTS) {
      const answering = answeringTable(tables, model);
      if (!answering) continue;
      const rows = visitors.flatMap(([visit, sessions]) => factRows(visit, sessions, kind));
      const ofDay = rows.filter(({ at }) => (at as number) >= begin && (at as number) < end);
      const [from, to] = [new Date(begin), new Date(end)];
      const scope = (bind: (value: unknown) => string) =>
        `website = ${bind(website)}::integer and at >= ${bind(from)}::timestamptz and at < ${bind(to)}::timestamptz`;
      const found = await compareRows(on, { ...answering, scope, by: 'at' }, ofDay);
      const [first] = found;
      if (!first) continue;
      const sum = (name: 'missing' | 'extra' | 'changed') => found.reduce((total, each) => total + each[name], 0);
      const { expected, found: stored } = first;
      const counts = { missing: sum('missing'), extra: sum('extra'), changed: sum('changed') };
      this.differences.push({ table: model.name, day, ...counts, expected, found: stored });
      await replaceWithin(on, tables, model, scope, ofDay);
    }
  }

  private async repairRollups(days: readonly number[]): Promise<void> {
    const { on, tables } = this;
    const { website, zone } = this.of;
    const isClosed = await readClosed(on, tables.state, website);
    for (const day of days) {
      const of = windowOf(website, zone, day, day);
      const { expected } = await readWindow(on, tables, of, this.domains);
      this.differences.push(...(await compareWindow(on, expected, { tables, of, isClosed, replace: true })));
    }
    await this.openSealed([...new Set(days.flatMap((day) => utcDaysOf(day, zone)))]);
    for (const block of new Set(days.map((day) => blockOf(day, LONGEST)))) {
      const range = { website, since: block, length: LONGEST };
      const found = await compareBlocks(on, tables, range);
      await replaceBlocks(on, tables, range, new Set(found.map(({ table }) => table)));
      this.differences.push(...found);
    }
  }

  /** Sealed days that are not what the sessions are, which the projector seals anew. */
  private async openSealed(days: readonly number[]): Promise<void> {
    const { on, tables } = this;
    const found = await compareSealed(on, tables, this.of.website, days);
    const changes = new DayChanges();
    for (const { day } of found) changes.addDay(this.of.website, day);
    for (const statement of changes.statements(tables)) await run(on, statement);
    this.differences.push(...found);
  }
}

/** What a table of facts holds of the events of a visitor. */
const factRows = (
  { website, actor, visitor, columns }: VisitorHits,
  sessions: readonly Session[],
  kind: number,
): Row[] =>
  sessions.flatMap((each) => {
    const session = sessionOfFacts(each);
    return each.hits.flatMap((hit) => {
      const own = hit.kind === kind ? columns.get(hit) : undefined;
      return own ? [{ website, at: hit.at, id: hit.id, actor, session, visitor, ...own }] : [];
    });
  });
