import type { Queryable } from '@ledgerline/platform/database/pool';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import type { Finding, SubjectDay } from './findings';
import { positionOf, type LivePartition } from './live-partition';
import {
  asDifference,
  countAgain,
  isSameCount,
  LogCounts,
  NONE,
  type CountEvent,
  type EventCount,
  type Suspect,
  type TableCounts,
} from './log-counts';
import type { KnownSubject, Proof, ProvenDays } from './proven-days';
import type { Signatures } from './signatures';

/** One snapshot for the checkpoint and the rows. */
export const SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '60s'`;

/** Of subjects that are compared together: no statement reads much more. */
const EVENTS_AT_ONCE = 500_000;

/** Days of a subject that are to be compared, with their signatures. */
export interface DueDays {
  readonly subject: string;
  /** IANA. */
  readonly zone: string;
  readonly days: ReadonlyMap<number, bigint>;
}

/** How the tables of websites, or of links or monitors, are compared. */
export interface TableCheck {
  readonly count: CountEvent;
  /** So many subjects are compared together at most. */
  readonly atOnce: number;
  /** The subjects that the tables have. */
  subjects(): Promise<readonly string[]>;
  sign(subjects: readonly string[], rest: () => Promise<void>): Promise<ReadonlyMap<string, Signatures>>;
  /** The days of UTC into which a day reaches. */
  utcDaysOf(day: number, zone: string): readonly number[];
  /** Days that are not reported and not suspected follow from the log. */
  compare(due: readonly DueDays[], comparison: DayComparison): Promise<void>;
}

interface ComparisonParts {
  readonly live: LivePartition;
  readonly check: TableCheck;
  /** Undefined = all days are compared. */
  readonly proven: ProvenDays | undefined;
  /** Called for each finding at once. */
  readonly report: (finding: Finding) => Promise<void>;
  /** Called between pieces of work, outside of transactions. */
  readonly rest: () => Promise<void>;
}

/** Compares the days of a partition that are not known to follow from its log. */
export class DayComparison {
  private logged: LogCounts;
  private known: ReadonlyMap<string, KnownSubject> = new Map();
  /** With what was read of the log since its events were counted in `known`. */
  private readonly suspects: (Suspect & { readonly recent: EventCount })[] = [];
  private readonly suspected = new Set<string>();
  /** Of suspected days, if these turn out to be right. */
  private readonly doubtful: Proof[] = [];
  private readonly unproven = new Set<string>();

  constructor(private readonly parts: ComparisonParts) {
    this.logged = this.countFrom(BEGINNING);
  }

  get rest(): () => Promise<void> {
    return this.parts.rest;
  }

  /** Answers how many days there are. */
  async run(): Promise<number> {
    const { live, check, proven, rest } = this.parts;
    const upTo = await positionOf(live.pool, live);
    if (proven) {
      await proven.count(live.part, check.count, upTo, rest);
      this.logged = this.countFrom(proven.cursor);
    } else await this.logged.readTo(upTo, rest);
    let days = 0;
    for (const subjects of portions(await this.subjects(), check.atOnce)) days += await this.compareSome(subjects);
    await this.judgeSuspects();
    return days;
  }

  /** Those of the partition in the log or in the tables, with the number of their events, about. */
  private async subjects(): Promise<readonly (readonly [string, number])[]> {
    const { live, check, proven } = this.parts;
    const events = new Map((await check.subjects()).map((subject) => [subject, 0]));
    for (const [subject, count] of (await proven?.subjects()) ?? []) events.set(subject, count);
    for (const [subject, { size }] of this.logged.subjects) events.set(subject, (events.get(subject) ?? 0) + size);
    const partitions = await live.part.log.partitions();
    return [...events].filter(([id]) => partitionOf(id, partitions) === live.part.partition);
  }

  private async compareSome(subjects: readonly string[]): Promise<number> {
    const { check, proven, rest } = this.parts;
    this.known = (await proven?.load(subjects)) ?? new Map();
    let total = 0;
    const due: DueDays[] = [];
    for (const [subject, signatures] of await check.sign(subjects, rest)) {
      const known = this.known.get(subject);
      const zone = known?.zone ?? this.logged.subjects.get(subject)?.zone ?? 'UTC';
      const all = signatures.byDay(this.loggedDays(subject), (day) => check.utcDaysOf(day, zone));
      total += all.size;
      const days = [...all].filter(([day, signature]) => known?.proven.get(day) !== signature);
      if (days.length > 0) due.push({ subject, zone, days: new Map(days.sort(([a], [b]) => a - b)) });
    }
    if (due.length > 0) await check.compare(due, this);
    const compared = due.flatMap(({ subject, zone, days }) =>
      [...days].map(([day, signature]): Proof => ({ subject, zone, day, signature })),
    );
    this.doubtful.push(...compared.filter((proof) => this.suspected.has(keyOf(proof))));
    await this.prove(compared.filter((proof) => !this.suspected.has(keyOf(proof))));
    return total;
  }

  /** Reads the log on to where the tables are that a snapshot sees. */
  async readOn(on: Queryable): Promise<Cursor> {
    const cursor = await positionOf(on, this.parts.live);
    await this.logged.readTo(cursor);
    return cursor;
  }

  /** What the events of the log add on a day. */
  loggedOn(subject: string, day: number): TableCounts {
    const [known, recent] = [this.known.get(subject)?.logged, this.logged.subjects.get(subject)].map((counts) =>
      counts?.days.get(day),
    );
    if (!known || !recent) return known ?? recent ?? new Map();
    const names = new Set([...known.keys(), ...recent.keys()]);
    return new Map([...names].map((name) => [name, sum(known.get(name) ?? NONE, recent.get(name) ?? NONE)]));
  }

  loggedDays(subject: string): ReadonlySet<number> {
    return new Set([
      ...(this.known.get(subject)?.logged.days.keys() ?? []),
      ...(this.logged.subjects.get(subject)?.days.keys() ?? []),
    ]);
  }

  async report(finding: Finding): Promise<void> {
    this.leaveUnproven(finding);
    await this.parts.proven?.forget(finding);
    await this.parts.report(finding);
  }

  leaveUnproven(day: SubjectDay): void {
    this.unproven.add(keyOf(day));
  }

  /** Notes the tables that do not have as many events of a day as the log up to a cursor. */
  suspect(of: SubjectDay, stored: TableCounts, upTo: Cursor, isLeftOut: (table: string) => boolean): void {
    const { subject, day } = of;
    const logged = this.loggedOn(subject, day);
    for (const table of new Set([...logged.keys(), ...stored.keys()])) {
      const count = stored.get(table) ?? NONE;
      if (isLeftOut(table) || isSameCount(logged.get(table) ?? NONE, count)) continue;
      const recent = { ...(this.logged.subjects.get(subject)?.days.get(day)?.get(table) ?? NONE) };
      this.suspects.push({ subject, day, table, stored: count, upTo, recent });
      this.suspected.add(keyOf(of));
    }
  }

  /** Repeats of an event are one in the tables. */
  private async judgeSuspects(): Promise<void> {
    const { live, check, proven, rest } = this.parts;
    if (this.suspects.length === 0 || !(await live.isCurrent())) return;
    const recent = new Map(this.suspects.map((suspect) => [suspect as Suspect, suspect.recent]));
    for (const { of, logged } of await countAgain(live.part, check.count, [...recent.keys()], rest)) {
      const { subject, day, table, stored } = of;
      await proven?.correct(of, table, difference(logged, recent.get(of) ?? NONE));
      if (!isSameCount(logged, stored)) await this.report({ subject, day, table, ...asDifference(logged, stored) });
    }
    await this.prove(this.doubtful);
  }

  private async prove(proofs: readonly Proof[]): Promise<void> {
    await this.parts.proven?.prove(proofs.filter((proof) => !this.unproven.has(keyOf(proof))));
  }

  private countFrom(cursor: Cursor): LogCounts {
    return new LogCounts(this.parts.live.part, this.parts.check.count, cursor);
  }
}

function* portions(subjects: readonly (readonly [string, number])[], atOnce: number): Iterable<readonly string[]> {
  let [portion, events]: [string[], number] = [[], 0];
  for (const [subject, count] of subjects) {
    if (portion.length === atOnce || (events += count) > EVENTS_AT_ONCE) {
      if (portion.length > 0) yield portion;
      [portion, events] = [[], count];
    }
    portion.push(subject);
  }
  if (portion.length > 0) yield portion;
}

const keyOf = ({ subject, day }: SubjectDay): string => `${subject} ${day}`;

const sum = (a: EventCount, b: EventCount): EventCount => ({ events: a.events + b.events, times: a.times + b.times });

const difference = (a: EventCount, b: EventCount): EventCount => ({
  events: a.events - b.events,
  times: a.times - b.times,
});
