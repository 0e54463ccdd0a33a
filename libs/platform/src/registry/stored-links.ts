import { withDetails, type Link, type StoredRecords } from '@ledgerline/contracts/records';
import { links, REGISTRY } from '@ledgerline/contracts/read-models/registry';
import type { Pool } from 'pg';
import { isMissingTable, orUnavailable } from '../database/database-errors';
import { runPrepared } from '../database/pool';
import { identifier, sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { Batcher } from '../log/batcher';
import { LogUnavailable, type Cursor } from '../log/log-reader';
import { fieldsOf } from './record-rows';
import { CHECKPOINT, findRegistryTables, type RegistryTables } from './registry-tables';

/** A link as the read models have it, and up to which event they are filled. */
export interface StoredLink {
  readonly link: Link;
  readonly cursor: Cursor;
}

type Row = StoredRecords['links'] & { readonly cursor: Cursor };
/** A missing link is a row of nulls, so that the position is there all the same. */
type RowOrNone = { [Name in keyof Row]: Row[Name] | null };
type Column = 'id' | 'slug';

const MAX_BATCH = 200;
/** Lookups that arrive while a statement is answered share the next one. */
const LINGER_MS = 3;

/** Reads links from the read models of the registry; simultaneous lookups share a statement. */
export class StoredLinks {
  private readonly lookups: Readonly<Record<Column, Batcher<string, StoredLink | undefined>>>;
  private tables: RegistryTables | undefined;
  private epoch: string | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly store: Pick<EventStore, 'epoch'>,
  ) {
    const by = (column: Column) =>
      new Batcher<string, StoredLink | undefined>((values) => this.read(column, values), {
        maxBatch: MAX_BATCH,
        lingerMs: LINGER_MS,
      });
    this.lookups = { id: by('id'), slug: by('slug') };
  }

  /** Undefined also where there are no read models. @throws LogUnavailable */
  find(column: Column, value: string): Promise<StoredLink | undefined> {
    return this.lookups[column].submit(value);
  }

  private async read(column: Column, values: readonly string[]): Promise<readonly (StoredLink | undefined)[]> {
    const rows = await orUnavailable('The links', () => this.select(column, values));
    const found = new Map(
      rows.map(({ cursor, ...stored }) => {
        const link = withDetails(stored);
        return [link[column], { link, cursor }];
      }),
    );
    return values.map((value) => found.get(value));
  }

  /** One statement, so that rows and position are of one moment. */
  private async select(column: Column, values: readonly string[]): Promise<readonly Row[]> {
    this.epoch ??= await this.store.epoch().catch(undefinedWhileAway);
    for (let tries = 0; tries < 2; tries++) {
      if (this.tables?.epoch !== (this.epoch ?? this.tables?.epoch)) this.tables = undefined; // found without the store
      this.tables ??= await findRegistryTables(this.pool, this.epoch, [links]);
      if (!this.tables) return [];
      const rows = await this.selectFrom(this.tables, column, values);
      if (rows.length > 0) return rows.filter((row): row is Row => row.id !== null);
      this.tables = undefined; // other tables answer by now
    }
    return [];
  }

  private async selectFrom({ layout, epoch, table }: RegistryTables, column: Column, values: readonly string[]) {
    const query = sql`
      select c.cursor, ${fieldsOf(links, sql`l`)}
      from ${CHECKPOINT} left join ${table(links)} l on l.${identifier(column)} = any(${values}::text[])
      where g.name = ${REGISTRY.name} and g.layout = ${layout} and c.epoch = ${epoch}`;
    try {
      return await runPrepared<RowOrNone>(this.pool, `links by ${column} ${layout}`, query);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

/** What was filled last is then what there is; a process that began so ends where it was of another store. */
function undefinedWhileAway(error: unknown): undefined {
  if (!(error instanceof LogUnavailable)) throw error;
  return undefined;
}
