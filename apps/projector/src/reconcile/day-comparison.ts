import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { websiteOfText, type ChangedText } from '../projections/websites/text-faults';
import { changedTextFindings, dayName, keyOf, type Finding, type SubjectDay } from './findings';
import { positionOf, type LivePartition } from './live-partition';
import { LogCounts, NONE, sumOf, type CountEvent, type TableCounts } from './log-counts';
import type { KnownSubject, Proof, ProvenDays } from './proven-days';
import { ALWAYS, signDays, Signatures, type TimeRange } from './signatures';
import { findingOf, Suspects } from './suspects';
import { utcDaysOf } from './website-parts';

/** One snapshot for the checkpoint and the rows. */
const SNAPSHOT = `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '60s'`;

/** Of subjects that are compared together, and of one: no statement reads much more. */
const EVENTS_AT_ONCE = 500_000;

/** Days of a subject that are to be compared, with their signatures. */
export interface DueDays {
  readonly subject: string;
  /** What the column of the subject holds. */
  readonly value: string | number;
  /** IANA. */
  readonly zone: string;
  readonly days: ReadonlyMap<number, bigint>;
}

/** How the tables of a group hold what happened to websites, links or monitors, day by day. */
export interface SubjectTables {
  /** Of the events from which they follow. */
  readonly types: readonly string[];
  readonly count: CountEvent;
  /** Other than before if `count` is: the log is counted anew then. */
  readonly countedAs?: string;
  /** The tables whose rows are signed as they are. */
  readonly models: readonly ReadModel[];
  /** Signs what else is compared of all subjects with these values. */
  sign?(
    live: LivePartition,
    signatures: ReadonlyMap<string | number, Signatures>,
    ranges: readonly TimeRange[],
    rest: () => Promise<void>,
  ): Promise<void>;
  /** The column of the subject in each of them. */
  readonly column: 'website' | 'link_id' | 'monitor_id';
  /** What that column holds of subjects. */
  valuesOf(on: Queryable, subjects: readonly string[]): Promise<readonly (string | number)[]>;
  /** The subjects that the tables have. */
  subjects(live: LivePartition): Promise<readonly string[]>;
  /** So many subjects are compared together at most. */
  readonly atOnce: number;
  /** Texts of all subjects with these values that are not those of their hashes; absent where tables hold texts themselves. */
  changedTexts?(on: Queryable, values: readonly (string | number)[]): Promise<readonly ChangedText[]>;
  /** Days that are not reported and not suspected follow from the log. */
  compare(due: readonly DueDays[], comparison: DayComparison): Promise<void>;
}

interface ComparisonParts {
  readonly live: LivePartition;
  readonly tables: SubjectTables;
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
  private readonly suspects = new Suspects();
  /** Of suspected days, if these turn out to be right. */
  private readonly doubtful: Proof[] = [];
  private readonly unproven = new Set<string>();

  constructor(private readonly parts: ComparisonParts) {
    this.logged = this.countFrom(BEGINNING);
  }

  get live(): LivePartition {
    return this.parts.live;
  }

  /** Answers how many days there are. */
  async run(): Promise<number> {
    const { live, tables, proven, rest } = this.parts;
    const upTo = await positionOf(live.pool, live);
    if (proven) {
      await proven.count(live.part, tables.count, upTo, rest);
      this.logged = this.countFrom(proven.cursor);
    } else await this.logged.readTo(upTo, rest);
    let days = 0;
    for (const subjects of portions(await this.subjects(), tables.atOnce)) days += await this.compareSome(subjects);
    await this.judgeSuspects();
    return days;
  }

  /** Those of the partition in the log or in the tables, with the number of their events, about. */
  private async subjects(): Promise<readonly (readonly [string, number])[]> {
    const { live, tables, proven } = this.parts;
    const events = new Map((await tables.subjects(live)).map((subject) => [subject, 0]));
    for (const [subject, count] of (await proven?.subjects()) ?? []) events.set(subject, count);
    for (const [subject, { size }] of this.logged.subjects) events.set(subject, (events.get(subject) ?? 0) + size);
    const partitions = await live.part.log.partitions();
    return [...events].filter(([id]) => partitionOf(id, partitions) === live.part.partition);
  }

  private async compareSome(subjects: readonly string[]): Promise<number> {
    const { live, tables, proven, rest } = this.parts;
    this.known = (await proven?.load(subjects)) ?? new Map();
    const values = await tables.valuesOf(live.pool, subjects);
    const [only = '', ...others] = subjects;
    const ranges = others.length === 0 ? this.rangesOf(only) : [ALWAYS];
    const signatures = await signDays({ ...tables, ...live, values, ranges, rest });
    await tables.sign?.(live, signatures, ranges, rest);
    const changed = (await tables.changedTexts?.(live.pool, values)) ?? [];
    let total = 0;
    const due: DueDays[] = [];
    for (const [place, subject] of subjects.entries()) {
      const value = values[place] ?? '';
      const known = this.known.get(subject);
      const zone = known?.zone ?? this.logged.subjects.get(subject)?.zone ?? 'UTC';
      const all = (signatures.get(value) ?? new Signatures()).byDay(this.loggedDays(subject), (day) =>
        utcDaysOf(day, zone),
      );
      total += all.size;
      const texts = changed.filter((each) => websiteOfText(each) === value);
      for (const finding of changedTextFindings(subject, Math.max(0, ...all.keys()), texts)) await this.report(finding);
      const days = [...all].filter(([day, signature]) => known?.proven.get(day) !== signature);
      if (days.length > 0) due.push({ subject, value, zone, days: new Map(days.sort(([a], [b]) => a - b)) });
    }
    if (due.length > 0) await tables.compare(due, this);
    const compared = due.flatMap(({ subject, zone, days }) =>
      [...days].map(([day, signature]): Proof => ({ subject, zone, day, signature })),
    );
    this.doubtful.push(...compared.filter(this.suspects.has));
    await this.prove(compared.filter((proof) => !this.suspects.has(proof)));
    return total;
  }

  /** Stretches of time in which a subject has about so many events as are read at once. */
  private rangesOf(subject: string): readonly TimeRange[] {
    const bounds = ['-infinity'];
    let events = 0;
    for (const day of [...this.loggedDays(subject)].sort((a, b) => a - b)) {
      const ofDay = Math.max(0, ...[...this.loggedOn({ subject, day }).values()].map((count) => count.events));
      events += ofDay;
      if (events <= EVENTS_AT_ONCE) continue;
      bounds.push(`${dayName(day)}T00:00:00Z`);
      events = ofDay;
    }
    return bounds.map((since, at) => [since, bounds[at + 1] ?? 'infinity'] as const);
  }

  /** Compares in one snapshot of the tables, up to where these have the log, and reports what it finds. */
  async inSnapshot<T extends Finding>(
    compare: (on: Queryable, upTo: Cursor) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const { live, rest } = this.parts;
    await this.logged.readTo(await positionOf(live.pool, live), rest); // leaves little to be read in the snapshot
    const work = async (client: Queryable) => {
      const upTo = await positionOf(client, live);
      await this.logged.readTo(upTo);
      return compare(client, upTo);
    };
    const findings = await transaction(live.pool, work, SNAPSHOT);
    for (const finding of findings) await this.report(finding);
    await rest();
    return findings;
  }

  /** What the events of the log add on a day. */
  loggedOn({ subject, day }: SubjectDay): TableCounts {
    const [known, recent] = [this.known.get(subject)?.logged, this.logged.subjects.get(subject)].map((counts) =>
      counts?.days.get(day),
    );
    if (!known || !recent) return known ?? recent ?? new Map();
    const names = new Set([...known.keys(), ...recent.keys()]);
    return new Map([...names].map((name) => [name, sumOf(known.get(name) ?? NONE, recent.get(name) ?? NONE)]));
  }

  private loggedDays(subject: string): ReadonlySet<number> {
    return new Set([
      ...(this.known.get(subject)?.logged.days.keys() ?? []),
      ...(this.logged.subjects.get(subject)?.days.keys() ?? []),
    ]);
  }

  private async report(finding: Finding): Promise<void> {
    this.leaveUnproven(finding);
    await this.parts.proven?.forget(finding);
    await this.parts.report(finding);
  }

  leaveUnproven(day: SubjectDay): void {
    this.unproven.add(keyOf(day));
  }

  /** Notes those of the tables that do not have as many events of a day as the log up to a cursor. */
  suspect(of: SubjectDay, stored: TableCounts, upTo: Cursor): void {
    this.suspects.add(of, stored, this.loggedOn(of), upTo);
  }

  private async judgeSuspects(): Promise<void> {
    const { live, tables, proven, rest } = this.parts;
    if (!(await live.isCurrent())) return;
    const counted = proven?.cursor ?? BEGINNING;
    for (const again of await this.suspects.countAgain(live.part, tables.count, counted, rest)) {
      await proven?.correct(again, again.table, again.before);
      const finding = findingOf(again);
      if (finding) await this.report(finding);
    }
    await this.prove(this.doubtful);
  }

  private async prove(proofs: readonly Proof[]): Promise<void> {
    await this.parts.proven?.prove(proofs.filter((proof) => !this.unproven.has(keyOf(proof))));
  }

  private countFrom(cursor: Cursor): LogCounts {
    return new LogCounts(this.parts.live.part, this.parts.tables.count, cursor);
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
