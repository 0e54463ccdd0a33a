import { RollupDeltas, rollupDifferences, mergeRollupRows, rowsOn } from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { HIT, SESSION_KIND, sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { linkVisits } from '@ledgerline/contracts/read-models/website-facts';
import { splitByWindow, type Calendar, type DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { hrefOf, type Session, supersededIn, type SessionHit } from '@ledgerline/contracts/sessions/session';
import { calendarOf, dayName, startOfDay } from '@ledgerline/domain/time/zones';
import type { DifferenceAt } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { readStoredRollups, type StoredRollups } from '../compaction/stored-rollups';
import type { WrittenTables } from '../projections/projection-group';
import type { HrefDomains } from '../projections/websites/href-domains';
import { EVENT_FACTS, type FactColumns } from '../projections/websites/read-hit';
import { loadVisitors } from '../projections/websites/session-rows';
import { compareSession, FactSessionDigests } from './compare-session';
import { DayDigests, mixedColumns, mixedId } from './digest';
import { keptFindings, misdatedFindings, sumByDay, type TableDifference } from './findings';
import { answeringTable } from './log-part';
import { ViewHashes } from './view-hashes';
import { hashEvent, hashHit, hashSession, hashView, mapTexts, ownColumns, TextHashes } from './website-events';

/** Days of a website. */
export interface WebsiteWindow extends DayWindow {
  /** Text id. */
  readonly website: number;
  /** IANA. */
  readonly zone: string;
}

/** Clocks change by less than that; what is read too early or too late is left out by its day. */
const MARGIN_MS = 3 * 3_600_000;
/** Page views and sessions, about, of visitors that are evaluated together; of one visitor all. */
const VISITORS_AT_ONCE = 20_000;
const FACTS_AT_ONCE = 10_000;

/** A row of a table of facts; ids as 32 hex digits. */
type Fact = FactColumns & {
  readonly at: number;
  readonly id: string;
  readonly actor: string;
  readonly visitor: string | null;
  readonly session: string | null;
};

const FACTS_BY_KIND: ReadonlyMap<number, string> = new Map(EVENT_FACTS.map(({ kind, builds }) => [kind, builds.name]));

const hexOf = (column: string) => `replace(${identifier(column).text}::text, '-', '') as ${identifier(column).text}`;

/** Compares the kept counts of some days with the sessions and facts that are stored; these are answered as digests, too. */
export class WindowComparison {
  /** The digests of the events in sessions and facts. */
  readonly digests = new DayDigests();
  /** The first page view of each session, with the attributes of the session. */
  readonly views = new ViewHashes();
  private readonly texts: TextHashes;
  private readonly kept = new Map<Rollup, ReturnType<typeof rowsOn>[]>();
  /** The facts that do not count. */
  private readonly superseded = new Set<string>();
  /** The page views that a click on a short link led to. */
  private readonly linked = new Set<string>();
  private readonly sessionsOfFacts = new FactSessionDigests();
  private readonly differing: DifferenceAt[] = [];
  private readonly pause = yieldToEventLoop();
  private readonly calendar: Calendar;
  private readonly bounds: readonly [begin: string, end: string];

  constructor(
    private readonly on: Queryable,
    private readonly tables: WrittenTables,
    private readonly of: WebsiteWindow,
    private readonly domains: HrefDomains,
  ) {
    const { website, zone, since, until } = of;
    const instantOf = (day: number, margin: number) =>
      Number.isFinite(day) ? new Date(startOfDay(dayName(day), zone) + margin).toISOString() : `${day}`.toLowerCase();
    this.texts = new TextHashes(on, website);
    this.calendar = calendarOf(zone);
    this.bounds = [instantOf(since, -MARGIN_MS), instantOf(until + 1, MARGIN_MS)];
  }

  async run(): Promise<readonly TableDifference[]> {
    for (const facts of EVENT_FACTS) if (facts.builds === linkVisits) await this.addFacts(facts);
    for (const actors of await this.visitors()) await this.addVisitors(actors);
    for (const facts of EVENT_FACTS) if (facts.builds !== linkVisits) await this.addFacts(facts);
    const differences = [
      ...sumByDay(sessionsModel.name, this.differing),
      ...this.sessionsOfFacts.differences(),
      ...(await this.compareKept()),
    ];
    const missing = { subject: null, missing: 1, extra: 0, changed: 0, found: null };
    const texts = [...this.texts.missing].map(([id, day]) => ({ ...missing, at: day, expected: { id } }));
    return [...differences, ...sumByDay('dictionary', texts)];
  }

  /** Undefined for an instant on another day. */
  private dayOf(at: number): number | undefined {
    const day = this.calendar.day(at);
    return day < this.of.since || day > this.of.until ? undefined : day;
  }

  /** Yields visitors with sessions on these days, in portions. */
  private async visitors(): Promise<readonly (readonly string[])[]> {
    const table = identifier(this.tables.state, sessionsModel.name);
    const { website } = this.of;
    const [begin, end] = this.bounds;
    const rows = await run<{ actors: string[] }>(
      this.on,
      sql`select array_agg(actor) as actors from (
          select replace(actor::text, '-', '') as actor,
            floor(sum(sum(1 + pageviews)) over (order by actor) / ${VISITORS_AT_ONCE}) as portion from ${table}
          where website = ${website} and actor in (
            select actor from ${table} where website = ${website} and first_at < ${end} and last_at >= ${begin}
          ) group by ${table}.actor
        ) visitors group by portion`,
    );
    return rows.map(({ actors }) => actors);
  }

  private async addVisitors(actors: readonly string[]): Promise<void> {
    const { calendar } = this;
    const { website } = this.of;
    const kept = new RollupDeltas();
    const wanted = actors.map((actor) => ({ website, actor }));
    const visitors = [...(await loadVisitors(this.on, this.tables.state, wanted))].map(
      ([key, { number, sessions }]) => {
        const { near, earlier } = splitByWindow(sessions, calendar, this.of);
        const [, actor = ''] = key.split(' ');
        const [added, staying] = [near, earlier].map((some) => some.map(({ session }) => session));
        return { actor, visitor: number === null ? null : actor, added: added ?? [], staying: staying ?? [] };
      },
    );
    for (const { actor, added } of visitors) for (const session of added) this.compareSession(actor, session);
    await this.addHits(visitors.flatMap(({ actor, added }) => added.map((session) => this.hitsOf(actor, session))));
    await this.addDomains(
      kept,
      visitors.flatMap(({ added, staying }) => [...added, ...staying]),
    );
    for (const { visitor, ...of } of visitors) {
      kept.addVisitor({ website, visitor, calendar }, { ...of, removed: [] });
      await this.pause();
    }
    await this.addKept(kept);
  }

  private compareSession(actor: string, session: Session): void {
    const { since, until } = this.of;
    const difference = compareSession(actor, session);
    const day = Math.min(Math.max(this.calendar.day(session.firstAt), since), until);
    if (difference) this.differing.push({ at: day, subject: null, missing: 0, extra: 0, changed: 1, ...difference });
  }

  /** The hits of a session on these days. */
  private hitsOf(actor: string, { id, kind, hits, attributes }: Session) {
    const superseded = supersededIn(hits);
    const within: { readonly hit: SessionHit; readonly day: number }[] = [];
    for (const hit of hits) {
      const day = this.dayOf(hit.at);
      if (day === undefined) continue;
      within.push({ hit, day });
      if (superseded.has(hit)) this.superseded.add(`${actor} ${hit.at} ${hit.id}`);
    }
    return { actor, id, kind, within, attributes, entry: attributes && hits.find(({ kind }) => kind === HIT.view) };
  }

  private async addHits(sessions: readonly ReturnType<WindowComparison['hitsOf']>[]): Promise<void> {
    const ids = new Map<number, number>();
    for (const { within, attributes } of sessions) {
      for (const { hit, day } of within) mapTexts(hit, (id) => (ids.set(id, day), id));
      const [first] = within;
      if (first && attributes) for (const id of Object.values(attributes)) ids.set(id, first.day);
      await this.pause();
    }
    await this.texts.load(ids);
    for (const { actor, id, kind, within, attributes, entry } of sessions) {
      const of = mixedId(0, actor);
      const hash = hashSession(of, kind === SESSION_KIND.client ? id : null);
      const placed = hashSession(of, kind === SESSION_KIND.none ? null : id);
      for (const { hit, day } of within) {
        const event = hashEvent(hash, hit);
        this.digests.add(sessionsModel.name, day, hashHit(event, mapTexts(hit, this.texts.of)));
        if (attributes && hit === entry) this.views.add(day, hashView(event, attributes, this.texts.of));
        const facts = FACTS_BY_KIND.get(hit.kind);
        if (facts !== undefined && (facts !== linkVisits.name || this.linked.has(`${actor} ${hit.at} ${hit.id}`)))
          this.sessionsOfFacts.expected.add(facts, day, hashEvent(placed, hit));
      }
      await this.pause();
    }
  }

  /** The hosts of what was clicked. */
  private async addDomains(kept: RollupDeltas, sessions: readonly Session[]): Promise<void> {
    const days = new Map<number, number>();
    for (const { hits } of sessions.filter(({ outgoingLinks }) => outgoingLinks > 0)) {
      for (const hit of hits) {
        const href = hrefOf(hit);
        if (href !== undefined) days.set(href, this.calendar.day(hit.at));
      }
    }
    await this.texts.load(days);
    const hosts = await this.domains.resolve(this.of.website, [...days.keys()].filter(this.texts.has));
    for (const [href, domain] of hosts) kept.addDomain(href, domain);
  }

  private async addFacts({ builds, texts, unit }: (typeof EVENT_FACTS)[number]): Promise<void> {
    const { calendar } = this;
    const { website } = this.of;
    const answering = answeringTable(this.tables, builds);
    if (!answering) return;
    const { table, model } = answering;
    const names = ownColumns(model);
    const columnsOf = names.map((name) => {
      const column = identifier(name).text;
      const type = model.columns[name]?.type ?? '';
      if (type.startsWith('uuid')) return hexOf(name);
      return type.startsWith('jsonb') ? `${column}::text` : type.startsWith('text') ? column : `${column}::float8`;
    });
    const text = `declare facts cursor for select ${hexOf('id')}, ${hexOf('actor')}, ${hexOf('session')},
        (extract(epoch from at) * 1000)::float8 as at, ${columnsOf.join(', ')}
      from ${table} where website = $1 and at >= $2 and at < $3`;
    await run(this.on, { text, values: [website, ...this.bounds] });
    for (;;) {
      const rows = await run<Fact>(this.on, { text: `fetch ${FACTS_AT_ONCE} from facts`, values: [] });
      if (rows.length === 0) break;
      const kept = new RollupDeltas();
      const within = rows.flatMap((fact) => {
        const day = this.dayOf(fact.at);
        return day === undefined ? [] : { fact, day };
      });
      const idsOf = ({ fact, day }: (typeof within)[number]) =>
        texts.map((name) => [Number(fact[name] ?? 0), day] as const);
      await this.texts.load(new Map(within.flatMap(idsOf)));
      for (const { fact, day } of within) {
        const { at, id, actor, session, visitor, ...columns } = fact;
        const hashes = Object.fromEntries(texts.map((name) => [name, this.texts.of(Number(columns[name] ?? 0))]));
        const of = mixedId(0, actor);
        const row = { visitor, ...columns, ...hashes };
        this.digests.add(builds.name, day, mixedColumns(hashEvent(of, fact), builds, names, row));
        this.sessionsOfFacts.found.add(builds.name, day, hashEvent(hashSession(of, session), fact));
        if (builds === linkVisits) this.linked.add(`${actor} ${at} ${id}`);
        if (unit && model === builds && !this.superseded.has(`${actor} ${at} ${id}`))
          kept.addFact(unit, columns, { website, calendar, at }, 1);
        await this.pause();
      }
      await this.addKept(kept);
    }
    await run(this.on, { text: 'close facts', values: [] });
  }

  private async addKept(changes: RollupDeltas): Promise<void> {
    for (const [count, pack] of changes.parts()) {
      const parts = this.kept.get(count) ?? [];
      this.kept.set(count, parts);
      parts.push(rowsOn(count, pack, this.of.website, this.of));
      await this.pause();
    }
  }

  private async compareKept(): Promise<readonly TableDifference[]> {
    const answering = answeringTable(this.tables, websiteRollups);
    if (!answering) return [];
    const { table, model } = answering;
    const differences: TableDifference[] = [];
    const lacking = EVENT_FACTS.filter(({ builds }) => answeringTable(this.tables, builds)?.model !== builds);
    const unknown = new Set<unknown>(lacking.map(({ unit }) => unit)); // of which it is not known what is kept
    const rows: StoredRollups['rows'][number][] = [];
    for (const count of ROLLUPS) {
      if (!(count.name in model.columns)) continue;
      const stored = await readStoredRollups(this.on, table, count, [this.of.website], this.of);
      rows.push(...stored.rows);
      await this.pause();
      if (unknown.has(count.of)) continue;
      const pack = mergeRollupRows(count, this.kept.get(count) ?? []);
      differences.push(...keptFindings(count, rollupDifferences(count, { pack, unreadable: [] }, stored)));
      await this.pause();
    }
    return model === websiteRollups ? [...differences, ...misdatedFindings(rows)] : differences;
  }
}
