import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import type { Counters } from './counters';
import { SNAPSHOT, type DayComparison, type DueDays, type TableCheck } from './day-comparison';
import type { Finding, SubjectDay } from './findings';
import type { Stretch } from './link-rollups';
import { answeringTable, type LivePartition } from './live-partition';
import type { EventCount, TableCounts } from './log-counts';
import { dayOfColumn, signDays, type SignedTable } from './signatures';

const DAY_MS = 86_400_000;

/**
 * Compares the tables of links or monitors: each day's facts or sums with the events of the log, and what is added up of
 * facts with these.
 */
export class CountersCheck implements TableCheck {
  readonly count;
  readonly atOnce = 200;
  private readonly signed: readonly SignedTable[];

  constructor(
    private readonly live: LivePartition,
    private readonly counters: Counters,
  ) {
    this.count = counters.count;
    this.signed = counters.models.map((model) => {
      return { model, isLocal: false, firstDay: dayOfColumn(model, 'at' in model.columns ? 'at' : 'start_15min') };
    });
  }

  utcDaysOf = (day: number): readonly number[] => [day];

  async subjects(): Promise<readonly string[]> {
    const [first] = this.counters.models.flatMap((model) => answeringTable(this.live.tables, model) ?? []);
    const text = `select distinct ${this.counters.subject} as id from ${first?.table ?? ''}`;
    return first ? (await run<{ id: string }>(this.live.pool, { text, values: [] })).map(({ id }) => id) : [];
  }

  sign(subjects: readonly string[], rest: () => Promise<void>) {
    const { live, signed } = this;
    return signDays({ ...live, signed, column: this.counters.subject, type: 'text', subjects, rest });
  }

  async compare(due: readonly DueDays[], comparison: DayComparison): Promise<void> {
    const days = due.flatMap((each) => [...each.days.keys()]);
    const [since, until] = [days.reduce((a, b) => Math.min(a, b)), days.reduce((a, b) => Math.max(a, b))];
    const subjects = due.map(({ subject }) => subject);
    const stretch: Stretch = { subjects, times: [new Date(since * DAY_MS), new Date((until + 1) * DAY_MS)] };
    const { facts, compareRollups, sums } = this.counters;
    const work = async (client: Queryable): Promise<readonly Finding[]> => {
      const cursor = await comparison.readOn(client);
      const stored = await this.storedFacts(client, stretch);
      const repeated = new Set<string>();
      for (const of of daysOf(due)) {
        const logged = comparison.loggedOn(of.subject, of.day).get(sums.columns[0] ?? '')?.events ?? 0;
        if (stored) comparison.suspect(of, stored(of), cursor, (table) => table !== facts?.name);
        if (stored?.(of).get(facts?.name ?? '')?.events !== logged) repeated.add(keyOf(of));
      }
      const isRepeated = (day: SubjectDay) => repeated.has(keyOf(day));
      const summed = await this.compareSums(client, stretch, daysOf(due).filter(isRepeated), comparison);
      const rows = (await compareRollups?.(client, this.live.tables, stretch, isRepeated)) ?? [];
      return [...summed, ...rows];
    };
    for (const finding of await transaction(this.live.pool, work, SNAPSHOT)) await comparison.report(finding);
    await comparison.rest();
  }

  /** How many facts there are of a day; undefined if there are none to compare. */
  private async storedFacts(on: Queryable, { subjects, times }: Stretch) {
    const { facts, subject } = this.counters;
    const answering = facts && answeringTable(this.live.tables, facts);
    if (!answering) return undefined;
    const text = `select ${subject} as subject, floor(extract(epoch from at) / 86400)::float8 as day,
        count(*)::float8 as events, sum(mod((extract(epoch from at) * 1000)::bigint, ${DAY_MS}))::float8 as times
      from ${answering.table} where ${subject} = any($1) and at >= $2 and at < $3 group by 1, 2`;
    const rows = await run<EventCount & SubjectDay>(on, { text, values: [subjects, ...times] });
    const stored = new Map(rows.map((row) => [keyOf(row), row]));
    return (of: SubjectDay): TableCounts => {
      const count = stored.get(keyOf(of));
      return new Map(count ? [[answering.model.name, count]] : []);
    };
  }

  /** Where an event is repeated in the log, or there are no facts: the sums of a day with what the log adds. */
  private async compareSums(on: Queryable, stretch: Stretch, days: readonly SubjectDay[], comparison: DayComparison) {
    const { subject, sums } = this.counters;
    const findings: Finding[] = [];
    for (const each of days.length > 0 ? sums.models : []) {
      const answering = answeringTable(this.live.tables, each);
      if (!answering) continue;
      const { model, table } = answering;
      const columns = sums.columns.filter((name) => name in model.columns);
      const text = `select ${subject} as subject, floor(extract(epoch from start_15min) / 86400)::float8 as day, span,
          ${columns.map((name) => `sum(${name})::float8 as ${name}`).join(', ')}
        from ${table} where ${subject} = any($1) and start_15min >= $2 and start_15min < $3 group by 1, 2, 3`;
      const values = [stretch.subjects, ...stretch.times];
      const rows = await run<Record<string, number> & SubjectDay>(on, { text, values });
      const stored = new Map(rows.map((row) => [`${keyOf(row)} ${row['span'] ?? 0}`, row]));
      for (const of of days) {
        const logged = comparison.loggedOn(of.subject, of.day);
        for (const [span, name] of LINK_SPANS.flatMap((span) => columns.map((name) => [span, name] as const))) {
          const expected = logged.get(name)?.events ?? 0;
          const found = stored.get(`${keyOf(of)} ${span}`)?.[name] ?? 0;
          if (expected === found) continue;
          const sumOf = (sum: number) => ({ span, [`sum of ${name}`]: sum });
          const counts = { missing: 0, extra: 0, changed: 1 };
          findings.push({ ...of, table: model.name, ...counts, expected: sumOf(expected), found: sumOf(found) });
        }
      }
    }
    return findings;
  }
}

const keyOf = ({ subject, day }: SubjectDay): string => `${subject} ${day}`;

const daysOf = (due: readonly DueDays[]): readonly SubjectDay[] =>
  due.flatMap(({ subject, days }) => [...days.keys()].map((day) => ({ subject, day })));
