import type { PoolClient } from 'pg';
import {
  columnOf,
  type PlanTask,
  type LookupRow,
  type Plan,
  type PlanResult,
  readsOf,
  type RollupParts,
  type Table,
} from '@ledgerline/aggregation/aggregation';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { stretchesOf } from '@ledgerline/domain/query/buckets';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { withSpan } from '@ledgerline/platform/tracing/tracing';
import type { SqlRow } from '../declaration/fields';
import { EVERY_ROW, type QueryContext } from '../declaration/query-context';
import type { QueryType } from '../declaration/query-type';
import { ConditionCompiler, findTieOrder } from '../session-columns/compile-conditions';
import { type MemoryNeed, RequestMemory } from '../session-columns/memory-budget';
import { readRollupParts } from '../session-columns/rollup-parts';
import { readSessionColumns } from '../session-columns/session-columns';
import type { QueryMeans } from '../snapshot/snapshot';
import { TableTexts } from '../sql/dictionary';
import { ALWAYS, type TimeRange } from '../sql/time';

/** The means with which the types of a request are executed. */
export interface Execution<On extends Queryable = PoolClient> extends QueryMeans<On> {
  readonly aggregates: RequestAggregates;
}

/** A task of aggregating for a query type of a request. */
export interface AggregateTask {
  readonly type: QueryType;
  readonly context: QueryContext;
  readonly from: 'rollups' | 'sessionColumns';
  readonly plan: Plan;
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
}

/** The tasks of one range, which are computed at once. */
type Tasks = readonly [AggregateTask, ...AggregateTask[]];
type Tables = ReadonlyMap<AggregateTask, PlanResult>;

/**
 * Aggregates for a request: what the tasks of one range need of columns is read once, and what all need of rollups
 * is; those of one range are computed at once.
 */
export class RequestAggregates {
  private readonly tasks = new Map<string, [AggregateTask, ...AggregateTask[]]>();
  private readonly tables = new Map<string, Promise<Tables>>();
  private rollups: Promise<ReadonlyMap<string, RollupParts>> | undefined;
  private conditions: ConditionCompiler | undefined;
  private readonly texts: TableTexts;
  /** Names of types whose rows of the range that is asked for have been looked up. */
  private readonly lookedUp = new Set<string>();
  private readonly memory: RequestMemory;

  constructor(
    private readonly run: QueryMeans<Queryable>,
    tasks: readonly AggregateTask[],
  ) {
    for (const task of tasks) {
      const ofRange = this.tasks.get(keyOfRange(task));
      if (ofRange) ofRange.push(task);
      else this.tasks.set(keyOfRange(task), [task]);
    }
    this.texts = new TableTexts(run.client);
    this.memory = new RequestMemory(run.counter.memory);
  }

  /** The rows of a task; those of an earlier range, only if they may have the same texts as those of the range. */
  async rowsOf(task: AggregateTask): Promise<readonly SqlRow[]> {
    const { type, context } = task;
    const table = await this.tableOf(task);
    if (!context.isEarlier || !this.lookedUp.has(type.name)) await this.lookUp([[table, type]]);
    this.lookedUp.add(type.name);
    return this.texts.rowsOf(table, type);
  }

  /** Returns what has to be said about the rows of a task. */
  async notesOf(task: AggregateTask): Promise<readonly string[]> {
    const { notes = [] } = await this.tableOf(task);
    return [...notes, ...(task.type.counting?.notes?.(task.context) ?? [])];
  }

  /** Returns the number of rows a task has in all. */
  async totalOf(task: AggregateTask): Promise<number> {
    return columnOf(await this.tableOf(task), 'total_rows')[0] ?? 0;
  }

  /** Takes the memory of rows that are made of tables or are read by SQL. @throws as {@link RequestMemory.takeRows} */
  takeRows(rows: number, { fields }: Pick<QueryType, 'fields'>): Promise<void> {
    const { audience, deadline } = this.run;
    return this.memory.takeRows(rows, fields, () =>
      AbortSignal.any([audience.signal, AbortSignal.timeout(deadline.left())]),
    );
  }

  /** Gives the memory of rows back, when they are answered. */
  release(): void {
    this.memory.release();
  }

  private async tableOf(task: AggregateTask): Promise<Table> {
    const range = keyOfRange(task);
    const computing = this.tables.get(range) ?? this.compute(range);
    this.tables.set(range, computing);
    computing.catch(() => this.tables.delete(range)); // thrown to the type that asked; the next one tries again
    const table = (await computing).get(task);
    if (!table) throw new Error(`${task.type.name} was not counted.`);
    if ('failure' in table) throw table.failure;
    return table;
  }

  private async compute(range: string): Promise<Tables> {
    const tasks = this.tasks.get(range);
    if (!tasks) throw new Error('Nothing of the range was planned.');
    const computed = await this.computeInMemory(range, tasks);
    const tables = new Map<AggregateTask, PlanResult>();
    for (const [nth, task] of tasks.entries()) {
      const { type, context, isTotal } = task;
      const table = computed[nth];
      if (!table) continue;
      const isSorted = 'failure' in table || isTotal || context.sort !== null;
      tables.set(task, isSorted ? table : await this.texts.upToPage(table, type, context.page));
    }
    const onPages = [...tables].flatMap(([{ type, context, isTotal }, table]) =>
      context.page.limit === EVERY_ROW.limit || isTotal || 'failure' in table ? [] : [[table, type] as const],
    );
    for (const [, { name }] of onPages) this.lookedUp.add(name);
    await this.lookUp(onPages); // at once: the others are looked up when it is known which are wanted
    return tables;
  }

  private async lookUp(tables: readonly (readonly [Table, QueryType])[]): Promise<void> {
    for (const [{ size }, type] of tables) await this.takeRows(size, type);
    await this.texts.lookUp(tables);
  }

  /** Computes what fits into memory, when it does. @throws Problem TOO_LARGE · SERVICE_UNAVAILABLE when its time is over before */
  private async computeInMemory(range: string, tasks: Tasks): Promise<readonly PlanResult[]> {
    const { counter, audience, deadline } = this.run;
    const late = AbortSignal.timeout(deadline.left());
    let columns = 0;
    let giveBack = () => {};
    const hold = async (need: MemoryNeed) => {
      giveBack = await counter.memory.take(need, AbortSignal.any([audience.signal, late]));
      columns = need.columns ?? 0;
    };
    try {
      const [plans, read] = await Promise.all([
        Promise.all(tasks.map((task) => this.lookUpFor(task))),
        tasks[0].from === 'rollups' ? this.readRollups(range) : this.readColumns(tasks, hold),
      ]);
      const count = (plans: readonly PlanTask[]) =>
        counter.count({ plans, ...read }, { signal: audience.signal, late, columns });
      return await this.computeInOrder(tasks, plans, count);
    } catch (error) {
      if (late.aborted) deadline.left(); // throws what a request without time is answered with
      throw error;
    } finally {
      giveBack();
    }
  }

  /** Computes those again that have to know the order of events at one time. */
  private async computeInOrder(
    tasks: Tasks,
    plans: readonly PlanTask[],
    count: (plans: readonly PlanTask[]) => Promise<readonly PlanResult[]>,
  ): Promise<readonly PlanResult[]> {
    const tables = [...(await count(plans))];
    const tied = tables.flatMap((table, nth) => ('ties' in table && table.ties ? [{ nth, ties: table.ties }] : []));
    if (tied.length === 0) return tables;
    const ordered: PlanTask[] = [];
    for (const { nth, ties } of tied) {
      const plan = plans[nth];
      const task = tasks[nth];
      if (plan && task) ordered.push({ ...plan, order: await findTieOrder(this.run.client, task.context, ties) });
    }
    for (const [at, table] of (await count(ordered)).entries()) tables[tied[at]?.nth ?? -1] = table;
    return tables;
  }

  private readonly compile: ConditionCompiler['compile'] = (condition, context) =>
    (this.conditions ??= new ConditionCompiler(this.run)).compile(condition, context);

  /** The plan of a task with all that is looked up for it. */
  private async lookUpFor(task: AggregateTask): Promise<PlanTask> {
    const { type, context, from: source, plan } = task;
    const { from, to, filters, shareFilters, metricFilters, minSamples, page, sort, table, website } = context;
    const { readsLinkDomains, conditions } = readsOf(plan);
    const span = { ...context, ...spanOf(task) };
    const compiled = conditions.map((condition) => this.compile(condition, span));
    // the domain of a link is stored at its first click
    const domains = sql`select value, domain from ${table(linkDomains)} where website = ${website}`;
    const isLookedUp = readsLinkDomains && source === 'sessionColumns';
    const lookup = isLookedUp ? await runSql<LookupRow>(this.run.client, domains) : [];
    const series = { days: context.buckets.map(({ label }) => dayNumber(label)), stretches: stretchesOf(context) };
    // single things are cut out in the order that is asked for; of other lists all rows are sorted
    const top = sort !== null && !type.sources.singles ? Infinity : page.page * page.limit;
    const request = { from, to, series, filters, shareFilters, metricFilters, minSamples, top };
    return { plan, request, lookup, conditions: await Promise.all(compiled) };
  }

  private readColumns(tasks: Tasks, hold: (need: MemoryNeed) => Promise<void>) {
    const [first] = tasks;
    const plans = tasks.map(({ plan }) => plan);
    const { client, counter } = this.run;
    const counted = { plans, context: first.context, span: spanOf(first), compile: this.compile, hold };
    return readSessionColumns(client, counter.cache, counted);
  }

  /** The rollups of a range, read together with those of all others. */
  private async readRollups(range: string) {
    const reading = (this.rollups ??= this.readAllRollups());
    reading.catch(() => (this.rollups = undefined)); // the next one tries again
    const rollups = (await reading).get(range);
    if (!rollups) throw new Error('No rollups of the range were read.');
    return { rollups };
  }

  private async readAllRollups(): Promise<ReadonlyMap<string, RollupParts>> {
    const { client, counter } = this.run;
    const ranges = [...this.tasks].filter(([, [{ from }]]) => from === 'rollups');
    const wanted = ranges.map(([, tasks]) => {
      const [{ context }] = tasks;
      const namesOf = (some: readonly AggregateTask[]) =>
        new Set(some.flatMap(({ plan }) => readsOf(plan).rollups ?? []));
      const byDay = namesOf(tasks.filter(({ type }) => type.shape === 'series'));
      return { since: dayNumber(context.startDate), until: dayNumber(context.endDate), names: namesOf(tasks), byDay };
    });
    const [[, [{ context }]]] = ranges as [(typeof ranges)[number]]; // a task is read
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': websiteRollups.name };
    const parts = await withSpan(`SQL ${websiteRollups.name}`, { kind: 'client', attributes }, () =>
      readRollupParts(client, context, wanted, counter.cache),
    );
    return new Map(ranges.flatMap(([range], nth) => (parts[nth] ? [[range, parts[nth]] as const] : [])));
  }
}

/** When the sessions are that are read for a task. */
function spanOf({ plan, context: { from, to } }: AggregateTask): TimeRange {
  const { every } = readsOf(plan);
  if (every === undefined) return { from, to };
  if (typeof every === 'number') return { from: from - every, to };
  return { from: every === 'history' ? ALWAYS.from : from, to: ALWAYS.to };
}

/** Names what tasks agree in that are computed at once; the types of a request have the same filters. */
function keyOfRange(task: AggregateTask): string {
  const { from, to } = spanOf(task);
  return [task.from, readsOf(task.plan).every !== undefined, from, to, task.context.from, task.context.to].join(' ');
}
