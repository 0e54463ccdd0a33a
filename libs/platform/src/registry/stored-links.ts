import { withDetails, type Link, type StoredRecords } from '@ledgerline/contracts/records';
import { links, REGISTRY } from '@ledgerline/contracts/read-models/registry';
import type { Pool } from 'pg';
import { isMissingTable, orUnavailable } from '../database/database-errors';
import { runPrepared } from '../database/pool';
import { identifier, sql } from '../database/sql';
import { Batcher } from '../log/batcher';
import type { Cursor } from '../log/log-reader';
import { fieldsOf, CHECKPOINT, findRegistryTables, type RegistryTables } from './stored-registry';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { LinkEvent } from '@ledgerline/contracts/events/link.events';
import { decidedIn } from '../event-store/decided';
import type { EventStore } from '../event-store/event-store';
import { readWholeStream } from '../event-store/read-whole';
import { linkStream } from '../event-store/streams';

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

  constructor(private readonly pool: Pool) {
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
    for (let tries = 0; tries < 2; tries++) {
      this.tables ??= await findRegistryTables(this.pool, [links]);
      if (!this.tables) return [];
      const rows = await this.selectFrom(this.tables, column, values);
      if (rows.length > 0) return rows.filter((row): row is Row => row.id !== null);
      this.tables = undefined; // other tables answer by now
    }
    return [];
  }

  private async selectFrom({ layout, table }: RegistryTables, column: Column, values: readonly string[]) {
    const query = sql`
      select c.cursor, ${fieldsOf(links, sql`l`)}
      from ${CHECKPOINT} left join ${table(links)} l on l.${identifier(column)} = any(${values}::text[])
      where g.name = ${REGISTRY.name} and g.layout = ${layout}`;
    try {
      return await runPrepared<RowOrNone>(this.pool, `links by ${column} ${layout}`, query);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

const LINK_EVENTS: ReadonlySet<string> = new Set<LinkEvent['type']>(['LinkCreated', 'LinkUpdated', 'LinkDeleted']);

/**
 * What a link is read from: the first event of its stream and the last, as each holds all of its settings. Most links
 * have one event. Where something else has written one of them, it is the whole stream.
 */
export async function readLinkEvents(
  store: Pick<EventStore, 'readStream'>,
  organizationId: string,
  linkId: string,
): Promise<readonly Recorded[]> {
  const stream = linkStream(organizationId, linkId);
  const last = await store.readStream(stream, { direction: 'backward', limit: 1 });
  const first = last.some(({ revision }) => revision > 0) ? await store.readStream(stream, { limit: 1 }) : [];
  const ends = [...first, ...last];
  const areOfLink = ends.every(({ type }) => LINK_EVENTS.has(type));
  return decidedIn(areOfLink ? ends : await readWholeStream(store, stream));
}
