import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { transaction } from '@ledgerline/platform/database/pool';
import type { PoolClient } from 'pg';
import { Dictionary } from '../projections/websites/dictionary';
import { EVENT_FACTS, FACT_SUMS } from '../projections/websites/event-facts.projections';
import { HrefDomains } from '../projections/websites/href-domains';
import { targetsOf } from '../projections/websites/rollup';
import { ROLLUPS } from '../projections/websites/rollups';
import { compareBlocks, LONGEST, type BlockRange } from './compare-blocks';
import { compareSealed } from './compare-sealed';
import { compareWindow } from './compare-window';
import { SNAPSHOT, type DayComparison, type DueDays, type TableCheck } from './day-comparison';
import type { WebsiteWindow } from './expected-rollups';
import type { Finding } from './findings';
import { answeringTable, type LivePartition } from './live-partition';
import { dayOfColumn, signDays, Signatures, type SignedTable } from './signatures';
import { readWindow } from './stored-window';
import { countHit, readClosed, readWebsites, utcDaysOf, windowOf } from './website-parts';

/** Days with about so many events are compared at once. */
const EVENTS_AT_ONCE = 30_000;

const signed = (model: ReadModel): SignedTable => {
  const column = ['day', 'hour', 'at'].find((name) => name in model.columns) ?? '';
  return { model, isLocal: column === 'day' && model !== sessionDays, firstDay: dayOfColumn(model, column) };
};

/** The tables that are compared; the rows of session_days lie on days of UTC. */
const SIGNED: readonly SignedTable[] = [
  {
    model: sessions,
    isLocal: false,
    firstDay: dayOfColumn(sessions, 'first_at'),
    lastDay: dayOfColumn(sessions, 'last_at'),
  },
  ...new Set([
    ...EVENT_FACTS.map(({ builds }) => builds),
    ...FACT_SUMS,
    ...ROLLUPS.flatMap((rollup) => targetsOf(rollup).map(({ builds }) => builds)),
    sessionDays,
  ]),
].map((each) => ('model' in each ? each : signed(each)));

/**
 * The events of each day in the log are compared with those in sessions and facts, these with the rollups of single days
 * row by row and with the sealed days, and the rollups with the longer blocks.
 */
export class WebsitesCheck implements TableCheck {
  readonly count = countHit;
  readonly atOnce = 50;
  private readonly domains: HrefDomains;
  /** Tables of facts that are not compared. */
  private readonly lacked: ReadonlySet<string>;
  /** By id. */
  private numbers: ReadonlyMap<string, number> = new Map();

  constructor(private readonly live: LivePartition) {
    this.domains = new HrefDomains(new Dictionary(live.pool));
    const lacked = EVENT_FACTS.filter(({ builds }) => !answeringTable(live.tables, builds));
    this.lacked = new Set(lacked.map(({ builds }) => builds.name));
  }

  utcDaysOf = utcDaysOf;

  async subjects(): Promise<readonly string[]> {
    this.numbers = await readWebsites(this.live.pool);
    return [...this.numbers.keys()];
  }

  async sign(websites: readonly string[], rest: () => Promise<void>) {
    const numbers = websites.map((id) => this.numbers.get(id) ?? 0); // no website has this number
    const signed = {
      ...this.live,
      signed: SIGNED,
      column: 'website',
      type: 'integer',
      subjects: numbers,
      rest,
    } as const;
    const signatures = await signDays(signed);
    return new Map(websites.map((id, at) => [id, signatures.get(numbers[at] ?? 0) ?? new Signatures()]));
  }

  async compare(due: readonly DueDays[], comparison: DayComparison): Promise<void> {
    for (const each of due) {
      const website = this.numbers.get(each.subject);
      if (website === undefined) await this.suspectAll(each, comparison);
      else await this.compareWebsite(website, each, comparison);
    }
  }

  private async suspectAll({ subject, days }: DueDays, comparison: DayComparison): Promise<void> {
    const cursor = await comparison.readOn(this.live.pool);
    for (const day of days.keys()) comparison.suspect({ subject, day }, new Map(), cursor, this.isLacked);
  }

  private async compareWebsite(website: number, due: DueDays, comparison: DayComparison): Promise<void> {
    const { pool, tables } = this.live;
    const { subject, zone, days } = due;
    const compare = async (work: (client: PoolClient) => Promise<readonly Omit<Finding, 'subject'>[]>) => {
      const differences = await transaction(pool, work, SNAPSHOT);
      for (const difference of differences) await comparison.report({ ...difference, subject });
      await comparison.rest();
      return differences;
    };
    for (const [since, until] of divide([...days.keys()], (day) => eventsOn(comparison, subject, day))) {
      const of = windowOf(website, zone, since, until);
      await compare((client) => this.compareDays(client, of, due, comparison));
    }
    const isClosed = await readClosed(pool, tables.state, website);
    for (const range of rangesOf(
      website,
      [...days.keys()].filter((day) => isClosed({ day })),
    )) {
      const differences = await compare(async (client) => {
        await comparison.readOn(client);
        return compareBlocks(client, tables, range);
      });
      if (differences.length === 0) continue;
      for (const day of days.keys())
        if (day >= range.since && day < range.since + range.length) comparison.leaveUnproven({ subject, day });
    }
  }

  private async compareDays(client: PoolClient, of: WebsiteWindow, due: DueDays, comparison: DayComparison) {
    const { tables } = this.live;
    const { website, zone, since, until } = of;
    const { subject } = due;
    const cursor = await comparison.readOn(client);
    const { expected, counts } = await readWindow(client, tables, of, this.domains);
    const days = [...due.days.keys()].filter((day) => day >= since && day <= until);
    for (const day of days) comparison.suspect({ subject, day }, counts.get(day) ?? new Map(), cursor, this.isLacked);
    const isClosed = await readClosed(client, tables.state, website);
    const rows = await compareWindow(client, expected, { tables, of, isClosed });
    const utcDays = [...new Set(days.flatMap((day) => utcDaysOf(day, zone)))];
    const sealed = await compareSealed(client, tables, website, utcDays);
    for (const day of days)
      if (sealed.some((each) => utcDaysOf(day, zone).includes(each.day))) comparison.leaveUnproven({ subject, day });
    return [...rows, ...sealed];
  }

  private readonly isLacked = (table: string): boolean => this.lacked.has(table);
}

const eventsOn = (comparison: DayComparison, subject: string, day: number): number =>
  comparison.loggedOn(subject, day).get(sessions.name)?.events ?? 0;

/** Stretches of days with about so many events, and at least a day; other days in between have no events. */
function divide(days: readonly number[], eventsOf: (day: number) => number): [since: number, until: number][] {
  const stretches: [number, number][] = [];
  let held = 0;
  for (const day of days) {
    const last = stretches.at(-1);
    held += eventsOf(day);
    if (last && held <= EVENTS_AT_ONCE && isEmptyBetween(last[1], day, eventsOf)) last[1] = day;
    else {
      stretches.push([day, day]);
      held = eventsOf(day);
    }
  }
  return stretches;
}

function isEmptyBetween(since: number, until: number, eventsOf: (day: number) => number): boolean {
  if (until - since > LONGEST) return false;
  for (let day = since + 1; day < until; day++) if (eventsOf(day) > 0) return false;
  return true;
}

/** The longest blocks of days, those that follow each other as one range. */
function rangesOf(website: number, days: readonly number[]): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (const since of new Set(days.map((day) => blockOf(day, LONGEST)))) {
    const last = ranges.at(-1);
    if (last && last.since + last.length === since && days.length <= LONGEST) last.length += LONGEST;
    else ranges.push({ website, since, length: LONGEST });
  }
  return ranges;
}
