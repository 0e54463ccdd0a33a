import type { PoolClient } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import {
  compareQueries,
  days,
  differingRowsSql,
  eitherRowColumn,
  epochMillisecondsSql,
} from '@ledgerline/platform/database/compare-rows';
import { run } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { execute, tableDdl } from '@ledgerline/platform/database/read-model-tables';
import { identifier } from '@ledgerline/platform/database/sql';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { keptRows } from '../monitors/kept-results';
import { openLongRunningPool } from '../open-pool';
import type { TableTarget, WrittenTables } from '../projections/projection-group';
import type { BoundGroup } from '../runner/bound-group';
import type { Finding } from './findings';
import { type LivePartition, eventsBetween, positionOf } from './log-part';

export type ReplayedGroup = Pick<
  BoundGroup,
  'name' | 'builds' | 'types' | 'project' | 'subjectOf' | 'dictionary' | 'invalidateCaches'
>;

/** A live table that is compared with what the log says. */
export interface ReplayedTable extends TableTarget {
  /** The model with all columns. */
  readonly replayed: ReadModel;
  /** Holds the subjects; absent = each row is one. */
  readonly column?: string;
}

/** A live table, and what it holds of its subjects in which column. */
export interface SubjectTable extends ReplayedTable {
  readonly column: string;
}

/** The columns of the tables of a group that hold the subject, each table one of them. */
const COLUMNS: Readonly<Partial<Record<Group, readonly string[]>>> = {
  websites: ['website'],
  links: ['link_id'],
  monitors: ['monitor_id', 'alert_id'],
};

/** The tables whose rows follow from their subject's events alone. */
export const subjectTables = ({ name, builds }: ReplayedGroup, { tables }: LivePartition): readonly SubjectTable[] => {
  return (COLUMNS[name] ?? []).flatMap((column) =>
    builds
      .filter(({ isCompared, columns }) => isCompared !== false && column in columns)
      .flatMap((replayed) => tables.targetsOf(replayed).map((target) => ({ ...target, replayed, column }))),
  );
};

/** In which rows are compared at one position of the log. */
export const SNAPSHOT = 'begin isolation level repeatable read';
/** The schema of temporary tables, which go with their connection. */
const SCHEMA = 'pg_temp';
/** Events that are projected at once, about. */
const BATCH = 10_000;

const quoted = (name: string) => identifier(name).text;
const list = (names: readonly string[]) => names.map(quoted).join(', ');

/** Events of a partition, projected from the log to temporary tables beside the live ones. */
export class Replay {
  /** The websites, links, monitors or streams that it has events of. */
  readonly subjects = new Set<string>();
  private cursor: Cursor = BEGINNING;
  private readonly tables: WrittenTables = {
    state: SCHEMA,
    targetsOf: (model) => (this.live.tables.targetsOf(model).length > 0 ? [{ schema: SCHEMA, model }] : []),
  };

  private constructor(
    readonly client: PoolClient,
    private readonly group: ReplayedGroup,
    private readonly live: LivePartition,
    private readonly only: ReadonlySet<string> | undefined,
  ) {}

  /** @param only of these websites, links or monitors; undefined = of all */
  static async within<T>(
    group: ReplayedGroup,
    live: LivePartition,
    only: ReadonlySet<string> | undefined,
    work: (replay: Replay) => Promise<T>,
  ): Promise<T> {
    const pool = openLongRunningPool(live.pool);
    const client = await pool.connect();
    try {
      const models = group.builds.filter((model) => live.tables.targetsOf(model).length > 0);
      await execute(
        client,
        models.map((model) => tableDdl(SCHEMA, model)),
      );
      return await work(new Replay(client, group, live, only));
    } finally {
      client.release(true);
      await pool.end();
    }
  }

  /** The table of a model, quoted. */
  static tableOf = ({ name }: ReadModel): string => identifier(SCHEMA, name).text;

  /** Reads on up to where the live tables are; `rest` is called between batches. */
  async readOn(rest: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { live, group, only } = this;
    const upTo = await positionOf(this.client, live);
    const events: unknown[] = [];
    for await (const [read] of eventsBetween<unknown>(live, group.types, this.cursor, upTo)) {
      for (const each of read) if (!only || only.has(group.subjectOf(each))) events.push(each);
      if (events.length >= BATCH) await this.project(events.splice(0));
      await rest();
    }
    await this.project(events);
    if (live.log.compare(this.cursor, upTo) < 0) this.cursor = upTo;
  }

  private async project(events: readonly unknown[]): Promise<void> {
    if (events.length === 0) return;
    for (const event of events) this.subjects.add(this.group.subjectOf(event));
    await this.group.project(this.client, this.tables, events);
  }

  async inTransaction<T>(begin: string, work: () => Promise<T>): Promise<T> {
    await this.client.query(begin);
    const result = await work();
    await this.client.query('commit');
    return result;
  }

  /**
   * Returns how the rows of some subjects differ, by subject (as the column holds it) and day of UTC; without a column,
   * all rows.
   */
  async differences(table: ReplayedTable, values: readonly unknown[] = []): Promise<readonly Finding[]> {
    const { model, column } = table;
    const queries = queriesOf(table);
    const subject = `concat_ws(' ', ${(column === undefined ? queries.keys : [column]).map(eitherRowColumn).join(', ')})`;
    const found = await compareQueries(this.client, {
      ...queries,
      at: dayIn(model),
      subject,
      values: column === undefined ? [] : [values],
    });
    return found.map(({ at: day, subject, ...difference }) => {
      return { subject: subject ?? '', day, table: model.name, ...difference };
    });
  }

  /** Replaces the rows that differ, as above; `before` is called with a temporary table of their keys, quoted. */
  async replace(
    table: ReplayedTable,
    values: readonly unknown[] = [],
    before: (keys: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { schema, model, column } = table;
    const queries = queriesOf(table);
    const selected = queries.keys.map((name) => `${eitherRowColumn(name)} as ${quoted(name)}`);
    const differ = identifier(`differing ${schema}.${model.name}`).text;
    const found = `create temp table ${differ} as select ${selected.join(', ')} ${differingRowsSql(queries)}`;
    await run(this.client, { text: found, values: column === undefined ? [] : [values] });
    await before(differ);
    const target = identifier(schema, model.name).text;
    const same = queries.keys.map((name) => `t.${quoted(name)} = d.${quoted(name)}`).join(' and ');
    const columns = list(mergeRolesOf(model).names);
    await execute(this.client, [
      `delete from ${target} t using ${differ} d where ${same}`,
      `insert into ${target} (${columns}) select ${columns} from (${queries.expected}) t join ${differ} d using (${list(queries.keys)})`,
    ]);
  }
}

function queriesOf({ schema, model, replayed, column }: ReplayedTable) {
  const columns = list(Object.keys(model.columns));
  const where = replayed === model ? '' : isSomething(model);
  return {
    keys: mergeRolesOf(model).keys,
    expected: `select ${columns} from ${keptRows(model, Replay.tableOf(replayed))}${where}`,
    stored: `select ${columns} from ${keptRows(model, identifier(schema, model.name).text)}${column === undefined ? '' : ` where ${quoted(column)} = any($1)`}`,
  };
}

/** A table that lacks columns is without rows that only these would count in. */
function isSomething(model: ReadModel): string {
  const { sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  if (mins.length + maxes.length + lasts.length > 0) return '';
  const some = [...sums.map((name) => `${quoted(name)} <> 0`), ...histograms.map((name) => `${quoted(name)} <> '{}'`)];
  return ` where ${some.join(' or ')}`;
}

/** The day of the first date or instant of a row; 1970-01-01 in a table without one. */
function dayIn({ columns }: ReadModel): string {
  for (const [name, { type }] of Object.entries(columns)) {
    if (type === 'date') return days(name);
    if (type === 'timestamptz') return `floor(${epochMillisecondsSql(name)} / 86400000)`;
  }
  return '0::float8';
}
