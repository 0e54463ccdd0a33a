import { ANOTHER_PAGE } from '@ledgerline/contracts/attributes';
import { readIntegers } from '@ledgerline/contracts/read-models/binary-format';
import { ANOTHER_PAGE_ID, NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import {
  columnOf,
  type CountedPlan,
  type PlanResult,
  type RollupParts,
  rowsAt,
  type Table,
} from '@ledgerline/aggregation/aggregation';
import { compareText } from '@ledgerline/domain/query/rows';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { integers, sql } from '@ledgerline/platform/database/sql';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { SqlRow } from '../declaration/fields';
import { EVERY_ROW } from '../declaration/query-context';
import type { QueryType } from '../declaration/query-type';
import {
  type AggregateRun,
  type AggregateTask,
  type Compile,
  type Hold,
  keyOf,
  planTask,
  rangeOf,
  readRollups,
  readSessionColumns,
} from './aggregate-task';
import { ConditionCompiler, findTieOrder } from './compile-conditions';
import { RequestMemory } from './memory-budget';

type Tables = ReadonlyMap<string, PlanResult>;
type Tasks = readonly [AggregateTask, ...AggregateTask[]];

/**
 * What is aggregated for a request: what the tasks of one range need of columns is read once, and what all need of rollups
 * is; those of one range are computed at once.
 */
export class RequestAggregates {
  private readonly tasks: ReadonlyMap<string, AggregateTask>;
  private readonly byRange = new Map<string, Promise<Tables>>();
  private rollups: Promise<ReadonlyMap<string, RollupParts>> | undefined;
  private conditions: ConditionCompiler | undefined;
  private readonly texts: TableTexts;
  /** Names of types whose rows of the range that is asked for have been looked up. */
  private readonly lookedUp = new Set<string>();
  private readonly memory: RequestMemory;

  constructor(
    private readonly run: AggregateRun,
    tasks: readonly AggregateTask[],
  ) {
    this.tasks = new Map(tasks.map((task) => [keyOf(task), task]));
    this.texts = new TableTexts(run.client);
    this.memory = new RequestMemory(run.counter.memory);
  }

  /** The rows of a type; beside rows of another range, only those that may have the same texts. */
  async rowsOf(task: AggregateTask): Promise<readonly SqlRow[]> {
    const { type, context } = task;
    const table = await this.tableOf(task);
    if (!context.beside || !this.lookedUp.has(type.name)) await this.lookUp([[table, type]]);
    this.lookedUp.add(type.name);
    return this.texts.rowsOf(table, type);
  }

  /** What has to be said about the rows of a type. */
  async notesOf(task: AggregateTask): Promise<readonly string[]> {
    const { notes = [] } = await this.tableOf(task);
    return [...notes, ...(task.type.sessionColumns?.notes?.(task.context) ?? [])];
  }

  /** How many rows a type has in all. */
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
    const key = keyOf(task);
    const isKnown = this.tasks.has(key);
    const range = isKnown ? rangeOf(task) : key;
    const computing = this.byRange.get(range) ?? this.compute(isKnown ? this.tasksIn(range, task) : [task], isKnown);
    this.byRange.set(range, computing);
    computing.catch(() => this.byRange.delete(range)); // thrown to the type that asked; the next one tries again
    const table = (await computing).get(key);
    if (!table) throw new Error(`${task.type.name} was not counted.`);
    if ('failure' in table) throw table.failure;
    return table;
  }

  private tasksIn(range: string, task: AggregateTask): Tasks {
    const [first = task, ...others] = [...this.tasks.values()].filter((each) => rangeOf(each) === range);
    return [first, ...others];
  }

  private async compute(tasks: Tasks, isKnown: boolean): Promise<Tables> {
    const tables = await this.computeInMemory(tasks, isKnown);
    const found: (readonly [AggregateTask, PlanResult])[] = [];
    for (const [nth, task] of tasks.entries()) {
      const table = tables[nth];
      if (table) found.push([task, 'failure' in table ? table : await this.texts.upToPage(table, task)]);
    }
    const onPages = found.flatMap(([{ type, context, isTotal }, table]) =>
      context.page.limit === EVERY_ROW.limit || isTotal || 'failure' in table ? [] : [[table, type] as const],
    );
    for (const [, { name }] of onPages) this.lookedUp.add(name);
    await this.lookUp(onPages); // at once: the others are looked up when it is known which are wanted
    return new Map(found.map(([task, table]) => [keyOf(task), table]));
  }

  private async lookUp(tables: readonly (readonly [Table, QueryType])[]): Promise<void> {
    for (const [{ size }, type] of tables) await this.takeRows(size, type);
    await this.texts.lookUp(tables);
  }

  /** Computes what fits into memory, when it does. @throws Problem TOO_LARGE · SERVICE_UNAVAILABLE when its time is over before */
  private async computeInMemory(tasks: Tasks, isKnown: boolean): Promise<readonly PlanResult[]> {
    const { client, counter, audience, deadline } = this.run;
    const late = AbortSignal.timeout(deadline.left());
    const held: (() => void)[] = [];
    const hold: Hold = async (need) =>
      void held.push(await counter.memory.take(need, AbortSignal.any([audience.signal, late])));
    try {
      const [plans, read] = await Promise.all([
        Promise.all(tasks.map((task) => planTask(client, task, this.compile))),
        this.read(tasks, isKnown, hold),
      ]);
      const count = (types: readonly CountedPlan[]) =>
        counter.count({ types, ...read }, { signal: audience.signal, late });
      return await this.computeInOrder(tasks, plans, count);
    } catch (error) {
      if (late.aborted) deadline.left(); // throws what a request without time is answered with
      throw error;
    } finally {
      for (const giveBack of held) giveBack();
    }
  }

  private readonly compile: Compile = (condition, context) =>
    (this.conditions ??= new ConditionCompiler(this.run)).compile(condition, context);

  /** Computes those again that have to know the order of events at one time. */
  private async computeInOrder(
    tasks: Tasks,
    plans: readonly CountedPlan[],
    count: (types: readonly CountedPlan[]) => Promise<readonly PlanResult[]>,
  ): Promise<readonly PlanResult[]> {
    const tables = [...(await count(plans))];
    const tied = tables.flatMap((table, nth) => ('ties' in table && table.ties ? [{ nth, ties: table.ties }] : []));
    if (tied.length === 0) return tables;
    const ordered: CountedPlan[] = [];
    for (const { nth, ties } of tied) {
      const [plan, task] = [plans[nth], tasks[nth]];
      if (plan && task) ordered.push({ ...plan, order: await findTieOrder(this.run.client, task.context, ties) });
    }
    for (const [at, table] of (await count(ordered)).entries()) tables[tied[at]?.nth ?? -1] = table;
    return tables;
  }

  /** What tasks of one range are computed from. */
  private async read(tasks: Tasks, isKnown: boolean, hold: Hold) {
    const [first] = tasks;
    if (first.from === 'sessionColumns') return readSessionColumns(this.run, tasks, this.compile, hold);
    const all = isKnown ? [...this.tasks.values()].filter(({ from }) => from === first.from) : tasks;
    const reading = isKnown ? (this.rollups ??= readRollups(this.run, all)) : readRollups(this.run, all);
    if (isKnown) reading.catch(() => (this.rollups = undefined)); // the next one tries again
    const rollups = (await reading).get(rangeOf(first));
    if (!rollups) throw new Error('No rollups of the range were read.');
    return { rollups };
  }
}

type Texted = Pick<QueryType, 'sessionColumns'>;

/** The texts that the tables of a request name by ids, each looked up once. */
export class TableTexts {
  private readonly texts = new Map<number, string>([
    [NO_TEXT, ''],
    [ANOTHER_PAGE_ID, ANOTHER_PAGE],
  ]);

  constructor(private readonly on: Queryable) {}

  /** Of rows that are equal but for their texts, those that come on the page or before it. */
  async upToPage(table: Table, { type, context: { page, sort }, isTotal }: AggregateTask): Promise<Table> {
    const { equal = 0, size } = table;
    const { byText: name, texts = {} } = type.sessionColumns ?? {};
    const wanted = page.page * page.limit - (size - equal);
    if (!name || isTotal || sort || equal - wanted < FEW) return table;
    const ids = columnOf(table, texts[name] ?? '');
    const first = await this.firstIds(ids.subarray(size - equal), wanted);
    const rows = new Int32Array(ids.keys()).filter((row) => row < size - equal || first.has(ids[row] ?? NO_TEXT));
    return { ...table, ...rowsAt(table, rows) };
  }

  /** The ids of the first texts, by code point; what has another text than that of its id is among them. */
  private async firstIds(ids: Float64Array, count: number): Promise<ReadonlySet<number>> {
    const all = binaryArray('integer', Array.from(ids)); // there may be millions
    const first = sql`select id from dictionary where id = any(${all}::int[]) order by text collate "C" limit ${count}`;
    const query = sql`select ${integers(sql`id`)} as ids from (${first}) first`;
    const [row] = await runSql<{ ids: string | null }>(this.on, query);
    return new Set([...this.texts.keys(), ...readIntegers(row?.ids)]);
  }

  /** Looks up what these rows name. */
  async lookUp(tables: readonly (readonly [Table, Texted])[]): Promise<void> {
    const [lacking, pause] = [new Set<number>(), yieldToEventLoop()];
    for (const [table, type] of tables) {
      for (const { idsAt } of textColumns(table, type)) {
        for (let row = 0; row < table.size; row++) {
          for (const id of idsAt(row)) if (!this.texts.has(id)) lacking.add(id);
          if (row % AT_ONCE === 0) await pause();
        }
      }
    }
    if (lacking.size === 0) return;
    const query = sql`select id, text from dictionary where id = any(${[...lacking]}::int[])`;
    for (const id of lacking) this.texts.set(id, '');
    for (const { id, text } of await runSql<{ id: number; text: string }>(this.on, query)) this.texts.set(id, text);
  }

  /** The rows with their columns of texts; rows whose label has not been looked up are left out. */
  async rowsOf(table: Table, type: Texted): Promise<readonly SqlRow[]> {
    const columns = textColumns(table, type);
    const labels = columns.filter(({ isLabel }) => isLabel);
    const numbers = Object.entries(table.columns);
    const otherCells = Object.entries(table.cells ?? {});
    const rows = await mapInSlices(Array(table.size).keys(), (at) => {
      if (!labels.every(({ idsAt }) => idsAt(at).every((id) => this.texts.has(id)))) return undefined;
      const row: Record<string, unknown> = {};
      for (const [name, values] of numbers) row[name] = Number.isNaN(values[at]) ? null : values[at];
      for (const { name, idsAt } of columns) row[name] = this.firstOf(idsAt(at));
      for (const [name, cells] of otherCells) row[name] = cells[at];
      return row;
    });
    return rows.filter((row) => row !== undefined);
  }

  /** The first text by code point; null of none. */
  private firstOf(ids: readonly number[]): string | null {
    const texts = ids.map((id) => this.texts.get(id) ?? '');
    return texts.reduce<string | null>((a, b) => (a !== null && compareText(a, b) <= 0 ? a : b), null);
  }
}

const AT_ONCE = 10_000;
/** The texts of fewer rows are looked up sooner than put in order by Postgres. */
const FEW = 1_000;

interface TextColumn {
  readonly name: string;
  /** Whether rows differ by it; texts that are counted for a row have the name of their ids. */
  readonly isLabel: boolean;
  readonly idsAt: (row: number) => readonly number[];
}

function textColumns({ columns, lists }: Table, { sessionColumns }: Texted): TextColumn[] {
  return Object.entries(sessionColumns?.texts ?? {}).map(([name, id]) => {
    const [column, list] = [columns[id], lists?.[id]];
    const idsAt = (row: number) => list?.[row] ?? [column?.[row] ?? NaN].filter((one) => !Number.isNaN(one));
    return { name, isLabel: name !== id, idsAt };
  });
}
