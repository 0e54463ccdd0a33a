import { INTERVALS_PER_DAY, LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareQueries, either, milliseconds } from '@ledgerline/platform/database/compare-rows';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import type { WrittenTables } from '../projections/written-tables';
import { SNAPSHOT, type PartitionCheck } from './check-websites';
import type { Counters } from './counters';
import type { Finding } from './findings';
import { answeringTable, positionOf } from './live-partition';
import {
  asDifference,
  confirmSuspects,
  isSameCount,
  LogCounts,
  NONE,
  type EventCount,
  type Suspect,
} from './log-counts';

const SUBJECTS_AT_ONCE = 200;
const DAY_MS = 86_400_000;

/**
 * Compares the tables of links or monitors of a partition with its log: each day's sums, of links also their facts and,
 * with these, the counts of visitors. Returns the number of days.
 */
export async function checkCounters(check: PartitionCheck, counters: Counters): Promise<number> {
  const { pool, part, rest, report, isCurrent } = check;
  const logged = new LogCounts(part, counters.count);
  const readOn = async (on: Queryable) => {
    const cursor = await positionOf(on, check);
    await logged.readTo(cursor, on === pool ? rest : undefined);
    return cursor;
  };
  await readOn(pool);
  const subjects = await subjectsOf(check, counters, logged.subjects.keys());
  const suspects: Suspect[] = [];
  let days = 0;
  for (let from = 0; from < subjects.length; from += SUBJECTS_AT_ONCE) {
    const some = subjects.slice(from, from + SUBJECTS_AT_ONCE);
    await readOn(pool);
    const work = async (client: Queryable): Promise<readonly Finding[]> => {
      const upTo = await readOn(client);
      const comparing = new CounterComparison(client, check.tables, counters, some, logged);
      suspects.push(...(await comparing.facts()).map((suspect) => ({ ...suspect, upTo })));
      days += comparing.days;
      return [...(await comparing.sums()), ...(counters.facts ? await comparing.visitors() : [])];
    };
    for (const finding of await transaction(pool, work, SNAPSHOT)) await report(finding);
    await rest();
  }
  const lost = (await isCurrent()) ? await confirmSuspects(part, counters.count, suspects, rest) : [];
  for (const { logged: expected, stored: found, ...of } of lost)
    await report({ ...of, ...asDifference(expected, found) });
  return days;
}

/** Of the partition, in the log or in a table. */
async function subjectsOf(
  { pool, part, tables }: PartitionCheck,
  { subject, sums, facts }: Counters,
  logged: Iterable<string>,
) {
  const [first] = [...(facts ? [facts] : []), ...sums.map(([model]) => model)].flatMap(
    (model) => answeringTable(tables, model) ?? [],
  );
  const text = `select distinct ${subject} as id from ${first?.table ?? ''}`;
  const stored = first ? await run<{ id: string }>(pool, { text, values: [] }) : [];
  const partitions = await part.log.partitions();
  const own = stored.map(({ id }) => id).filter((id) => partitionOf(id, partitions) === part.partition);
  return [...new Set([...logged, ...own])];
}

/** Compares some subjects in one snapshot. */
class CounterComparison {
  readonly days: number;

  constructor(
    private readonly on: Queryable,
    private readonly tables: WrittenTables,
    private readonly counters: Counters,
    private readonly subjects: readonly string[],
    private readonly logged: LogCounts,
  ) {
    const [first] = counters.sums;
    const daysOf = (subject: string) => logged.subjects.get(subject)?.tables.get(first?.[1][0] ?? '')?.size ?? 0;
    this.days = subjects.reduce((sum, subject) => sum + daysOf(subject), 0);
  }

  /** Days on which the facts are not as many as the events of the log, or other ones. */
  async facts(): Promise<Omit<Suspect, 'upTo'>[]> {
    const { facts } = this.counters;
    const answering = facts && answeringTable(this.tables, facts);
    if (!answering) return [];
    const text = `select ${this.counters.subject} as subject, floor(extract(epoch from at) / 86400)::float8 as day,
        count(*)::float8 as events, sum(mod((extract(epoch from at) * 1000)::bigint, ${DAY_MS}))::float8 as times
      from ${answering.table} where ${this.counters.subject} = any($1) group by 1, 2`;
    const rows = await run<EventCount & { subject: string; day: number }>(this.on, { text, values: [this.subjects] });
    return this.differing(answering.model.name, new Map(rows.map((row) => [`${row.subject} ${row.day}`, row]))).filter(
      ({ expected, stored }) => !isSameCount(expected, stored),
    );
  }

  /** Days on which the sums of a table are not what the events add. */
  async sums(): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const [each, counted] of this.counters.sums) {
      const answering = answeringTable(this.tables, each);
      if (!answering) continue;
      const { model, table } = answering;
      const columns = counted.filter((name) => name in model.columns);
      for (const span of LINK_SPANS) {
        const text = `select ${this.counters.subject} as subject, floor(extract(epoch from start_15min) / 86400)::float8 as day,
            ${columns.map((name) => `sum(${name})::float8 as ${name}`).join(', ')}
          from ${table} where ${this.counters.subject} = any($1) and span = $2 group by 1, 2`;
        const rows = await run<Record<string, number> & { subject: string; day: number }>(this.on, {
          text,
          values: [this.subjects, span],
        });
        for (const name of columns) {
          const stored = rows.map(
            (row) => [`${row.subject} ${row.day}`, { events: row[name] ?? 0, times: 0 }] as const,
          );
          for (const { subject, day, expected, stored: found } of this.differing(name, new Map(stored))) {
            if (expected.events === found.events) continue;
            const sumOf = ({ events }: EventCount) => ({ span, [`sum of ${name}`]: events });
            const counts = { missing: 0, extra: 0, changed: 1 };
            findings.push({
              subject,
              day,
              table: model.name,
              ...counts,
              expected: sumOf(expected),
              found: sumOf(found),
            });
          }
        }
      }
    }
    return findings;
  }

  /** Counts of distinct visitors that are not those of the facts. */
  async visitors(): Promise<Finding[]> {
    const visits = `with intervals as (
        select distinct link_id, actor, floor(extract(epoch from at) / 900)::bigint as place
        from ${identifier(this.tables.state, linkClicks.name).text} where link_id = any($1) and actor <> id
      ), seen as (
        select *, lag(place) over (partition by link_id, actor order by place) as previous from intervals
      ), visits as (
        select link_id, span, floor(place / span::float8) * span as start, previous
        from seen cross join unnest('{1, ${INTERVALS_PER_DAY}}'::smallint[]) as span
        where previous is null or previous < floor(place / span::float8) * span
      )
      select link_id, span, to_timestamp(start * 900) as start_15min`;
    const compare = async (model: ReadModel, keys: readonly string[], expected: string) => {
      const answering = answeringTable(this.tables, model);
      if (!answering || !('visitors' in answering.model.columns)) return [];
      const columns = [...keys, 'visitors::bigint as visitors'].join(', ');
      const stored = `select ${columns} from ${answering.table} where link_id = any($1) and visitors <> 0`;
      const [at, subject] = [milliseconds('start_15min'), either('link_id')];
      const found = await compareQueries(this.on, { keys, at, subject, expected, stored, values: [this.subjects] });
      return found.map(({ at: start, subject: link, ...difference }): Finding => {
        return { table: model.name, subject: link ?? '', day: Math.floor(start / DAY_MS), ...difference };
      });
    };
    const block = ['link_id', 'span', 'start_15min'];
    return [
      ...(await compare(linkClicks15min, block, `${visits}, count(*) as visitors from visits group by 1, 2, 3`)),
      ...(await compare(
        linkReturns,
        [...block, 'previous_15min'],
        `${visits}, to_timestamp(previous * 900) as previous_15min, count(*) as visitors
          from visits where previous is not null group by 1, 2, 3, 4`,
      )),
    ];
  }

  /** Each day of a subject that the log or the table has. */
  private differing(name: string, stored: ReadonlyMap<string, EventCount>) {
    const loggedDays = this.subjects.flatMap((subject) =>
      [...(this.logged.subjects.get(subject)?.tables.get(name)?.keys() ?? [])].map((day) => `${subject} ${day}`),
    );
    return [...new Set([...loggedDays, ...stored.keys()])].map((key) => {
      const [subject = '', text] = key.split(' ');
      const day = Number(text);
      const expected = this.logged.subjects.get(subject)?.tables.get(name)?.get(day) ?? NONE;
      return { subject, day, table: name, expected, stored: stored.get(key) ?? NONE };
    });
  }
}
