import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  sessionChanges,
  sessionDays,
  sessionDayStates,
  sessionParts,
} from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { Dictionary, findWebsite, readWebsiteTexts } from '../projections/websites/dictionary';
import { HrefDomains } from '../projections/websites/href-domains';
import { EVENT_FACTS } from '../projections/websites/read-hit';
import { compareSealed, compareWhole } from './compare-derived';
import { compareParts } from './compare-parts';
import { WindowComparison } from './compare-window';
import { DayDigests, NONE, type TableDigests, isSameDigest } from './digest';
import { keyOf, type SubjectDay, type TableDifference } from './findings';
import { answeringTable, isCurrent, LogDigests, positionOf, recount, type EventDigest } from './log-part';
import type { Comparing } from './stored-digests';
import { ViewHashes } from './view-hashes';
import { digestHits } from './website-events';

/** One snapshot for the checkpoint and the rows; in one process, as the share of the time is that of one core. */
const SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '60s';
  set local max_parallel_workers_per_gather = 0; set local jit = off`;
/** Events that are compared in one snapshot, about; of a day all. */
const EVENTS_AT_ONCE = 50_000;
/** The tables with an entry for each event. */
const EVENT_TABLES: readonly ReadModel[] = [sessions, ...EVENT_FACTS.map(({ builds }) => builds)];

/** Compares sessions and facts with the log, day by day, and everything else with these. */
export const compareWebsitesWithLog = (of: Comparing): Promise<void> => new WebsitesComparison(of).run();

interface Website {
  readonly id: string;
  /** Text id; undefined = the tables have none. */
  readonly number: number | undefined;
  /** The position of the log up to which digests are stored. */
  readonly known: (DayDigests & { readonly zone: string }) | undefined;
}

/** A day of which tables do not have what the log has up to a cursor; that may have repeats, which are one event in tables. */
interface Suspect extends SubjectDay {
  readonly upTo: Cursor;
  /** The rows of each table that are compared. */
  readonly found: TableDigests;
  readonly events: number;
}

class WebsitesComparison {
  private readonly digest: EventDigest;
  /** The digests of what follows the stored ones. */
  private readonly recent: LogDigests;
  private readonly suspects: Suspect[] = [];
  private readonly compared: readonly string[];

  constructor(private readonly of: Comparing) {
    const { live, stored } = of;
    this.digest = digestHits(live.tables, { withViews: stored === undefined });
    this.recent = new LogDigests(live, this.digest, stored?.cursor ?? BEGINNING);
    this.compared = EVENT_TABLES.filter((model) => answeringTable(live.tables, model)).map(({ name }) => name);
  }

  async run(): Promise<void> {
    const { live, stored, rest } = this.of;
    const upTo = await positionOf(live.pool, live);
    await stored?.readTo(this.digest, upTo, rest);
    if (stored) this.recent.cursor = stored.cursor;
    await this.recent.readTo(upTo, rest);
    const ids = [
      (await readWebsiteTexts(live.pool)).values(),
      (await stored?.subjects())?.keys() ?? [],
      this.recent.subjects.keys(),
    ];
    const partitions = await live.log.partitions();
    for (const id of new Set(ids.flatMap((some) => [...some])))
      if (partitionOf(id, partitions) === live.key.partition) await this.compareWebsite(id);
    await this.recountSuspects();
  }

  private async compareWebsite(id: string): Promise<void> {
    const { live, stored, rest } = this.of;
    const known = await stored?.load(id);
    const number = await findWebsite(live.pool, id);
    const website = { id, number, known };
    const days = eventsByDay(this.logged(website));
    const signatures = stored && number !== undefined ? await this.signDays(number) : undefined;
    const proven = await stored?.proven(id);
    for (const window of windowsOf(days)) {
      const first = Math.min(...[...days.keys()].filter((day) => day >= window.since));
      const signature = signatures && signatureOf(signatures, window) + checksumOf(this.logged(website), window);
      if (signature !== undefined && proven?.get(keyOf({ subject: id, day: first })) === signature) continue;
      const follows = await this.compareWindow(website, window);
      if (signature !== undefined && days.size > 0)
        await stored?.prove([{ subject: id, day: first, signature: follows ? signature : null }]);
    }
    if (number !== undefined)
      await this.inSnapshot(id, (on) => compareWhole(on, live.tables, { website: number, zone: this.zoneOf(website) }));
    await rest();
  }

  private zoneOf = ({ id, known }: Website): string => (known ?? this.recent.subjects.get(id))?.zone ?? 'UTC';

  private logged({ id, known }: Website): readonly DayDigests[] {
    return [known, this.recent.subjects.get(id)].filter((each) => each !== undefined);
  }

  /** Returns whether there is neither a difference nor the suspicion of one. */
  private async compareWindow(website: Website, window: DayWindow): Promise<boolean> {
    const { live, rest } = this.of;
    const before = this.suspects.length;
    await this.recent.readTo(await positionOf(live.pool, live), rest); // leaves little to be read in the snapshot
    const found = await this.inSnapshot(website.id, async (on) => {
      const upTo = await positionOf(on, live);
      await this.recent.readTo(upTo);
      const { differences, digests, views } = await this.compareTables(on, website, window); // whose first event may be new
      this.suspect(website, { window, upTo, digests });
      if (this.of.stored) return differences; // what was read before is kept as sums, without its views
      const logged = this.recent.subjects.get(website.id)?.views ?? new ViewHashes();
      return [...differences, ...views.takeMissing(logged)];
    });
    return found === 0 && this.suspects.length === before;
  }

  private async compareTables(on: Queryable, website: Website, window: DayWindow) {
    const { number } = website;
    const { pool, tables } = this.of.live;
    // without a number, all of its events are missing
    if (number === undefined) return { differences: [], digests: new DayDigests(), views: new ViewHashes() };
    const of = { website: number, zone: this.zoneOf(website), ...window };
    const comparison = new WindowComparison(on, tables, of, new HrefDomains(new Dictionary(pool)));
    const differences = [
      ...(await comparison.run()),
      ...(await compareSealed(on, tables, number, window)),
      ...(await compareParts(on, tables.state, number, window)),
    ];
    return { differences, digests: comparison.digests, views: comparison.views };
  }

  private async inSnapshot(
    subject: string,
    compare: (on: Queryable) => Promise<readonly TableDifference[]>,
  ): Promise<number> {
    const { live, report, rest } = this.of;
    const differences = await transaction(live.pool, compare, SNAPSHOT);
    for (const difference of differences) await report({ ...difference, subject });
    await rest();
    return differences.length;
  }

  /** Notes the days of which tables have other events than the log. */
  private suspect(
    website: Website,
    { window, upTo, digests }: { readonly window: DayWindow; readonly upTo: Cursor; readonly digests: DayDigests },
  ): void {
    const logged = new DayDigests();
    for (const each of this.logged(website)) logged.addAll(each);
    for (const day of new Set([...logged.days.keys(), ...digests.days.keys()])) {
      if (day < window.since || day > window.until) continue;
      const expected = logged.days.get(day);
      const stored = digests.days.get(day);
      const found = new Map(this.compared.map((name) => [name, stored?.get(name) ?? NONE]));
      if ([...found].every(([name, digest]) => isSameDigest(expected?.get(name) ?? NONE, digest))) continue;
      this.suspects.push({ subject: website.id, day, upTo, found, events: mostEvents(expected) });
    }
  }

  private async recountSuspects(): Promise<void> {
    const { live, stored, report, rest } = this.of;
    if (this.suspects.length === 0 || !(await isCurrent(live))) return;
    const before = stored?.cursor ?? BEGINNING;
    for await (const each of recount(live, this.digest, this.suspects, before, rest)) {
      const { subject, day, found, logged, loggedBefore } = each;
      await stored?.correct(each, loggedBefore.days.get(day) ?? new Map());
      for (const [table, stands] of found) {
        const expected = logged.days.get(day)?.get(table) ?? NONE;
        if (isSameDigest(expected, stands)) continue;
        const more = expected.events - stands.events;
        const counts = { missing: Math.max(more, 0), extra: Math.max(-more, 0), changed: more === 0 ? 1 : 0 };
        await report({ subject, day, table, ...counts, expected: { ...expected }, found: { ...stands } });
      }
    }
  }

  /**
   * The sums of the hashes of a website's rows by day: those of a row that is missing, doubled or changed differ. Each table
   * is read once, at a fraction of what comparing takes.
   */
  private async signDays(website: number): Promise<ReadonlyMap<number, bigint>> {
    const { live, rest } = this.of;
    const signatures = new Map<number, bigint>();
    for (const [model, since, until] of SIGNED) {
      const answering = answeringTable(live.tables, model);
      if (!answering) continue;
      const text = `select each as day, sum(hash_record_extended(t, hashtext($2)))::text as sum from ${answering.table} t
        cross join lateral generate_series(${since}, least(${until}, ${since} + ${MOST_DAYS})) as each
        where website = $1 group by 1`;
      const values = [website, model.name];
      for (const { day, sum } of await run<{ day: number; sum: string }>(live.pool, { text, values }))
        signatures.set(day, (signatures.get(day) ?? 0n) + BigInt(sum));
      await rest();
    }
    return signatures;
  }
}

const dateOf = (column: string) => `(${column} at time zone 'UTC')::date - '1970-01-01'::date`;
const DAY = `day - '1970-01-01'::date`;
/** The tables that are compared day by day, and the first and last day of a row of each. */
const SIGNED: readonly (readonly [ReadModel, since: string, until: string])[] = [
  [sessions, dateOf('first_at'), dateOf('last_at')],
  [websiteRollups, 'since', 'until'],
  [sessionDays, DAY, DAY],
  [sessionDayStates, DAY, DAY],
  [sessionParts, DAY, DAY],
  [sessionChanges, DAY, DAY],
  ...EVENT_FACTS.map(({ builds }) => [builds, dateOf('at'), dateOf('at')] as const),
];
/** Days of a row that are signed; none has more, unless it is damaged. */
const MOST_DAYS = 10_000;

/** Returns the days of UTC into which local ones reach. */
function signatureOf(signatures: ReadonlyMap<number, bigint>, { since, until }: DayWindow): bigint {
  let sum = 0n;
  for (const [day, each] of signatures) if (day >= since - 1 && day <= until + 1) sum += each;
  return sum;
}

/** A number that another one stands for if events of these days are new. */
function checksumOf(logged: readonly DayDigests[], { since, until }: DayWindow): bigint {
  let sum = 0;
  for (const { days } of logged)
    for (const [day, tables] of days)
      if (day >= since && day <= until) for (const { events, checksum } of tables.values()) sum += events + checksum;
  return BigInt(sum);
}

/** The number of the table that has most. */
const mostEvents = (tables: TableDigests | undefined): number =>
  Math.max(0, ...[...(tables?.values() ?? [])].map(({ events }) => events));

function eventsByDay(logged: readonly DayDigests[]): ReadonlyMap<number, number> {
  const events = new Map<number, number>();
  for (const { days } of logged)
    for (const [day, tables] of days) events.set(day, (events.get(day) ?? 0) + mostEvents(tables));
  return events;
}

/** All days there are, in stretches with about so many events. */
function windowsOf(events: ReadonlyMap<number, number>): readonly DayWindow[] {
  const windows: DayWindow[] = [];
  let since = -Infinity;
  let held = 0;
  for (const [day, ofDay] of [...events].sort(([a], [b]) => a - b)) {
    if (held > 0 && held + ofDay > EVENTS_AT_ONCE) {
      windows.push({ since, until: day - 1 });
      since = day;
      held = 0;
    }
    held += ofDay;
  }
  return [...windows, { since, until: Infinity }];
}
