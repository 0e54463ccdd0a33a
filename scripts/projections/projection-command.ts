import type { Pool } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { GROUPS } from '@ledgerline/contracts/read-models/registry';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { dataDirOf, storesForTools } from '@ledgerline/platform/config/runtime-file';
import { errorMessage, StartFailure } from '@ledgerline/platform/config/start-failure';
import { isDiskFull, isUnavailable } from '@ledgerline/platform/database/database-errors';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { openProjectionPool, openStorePools } from '../../apps/projector/src/open-pool';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { type BoundGroup, boundGroups } from '../../apps/projector/src/runner/bound-group';
import { TablesOfAnotherProgram } from '../../apps/projector/src/versions/program-tables';

/** One command of `npm run projections`. */
export interface ProjectionCommand {
  readonly name: string;
  /** The words behind it, as the usage shows them; absent = it takes none. */
  readonly takes?: string;
  readonly meaning: string;
  /** By name; others are refused. */
  readonly options?: Readonly<Record<string, ProjectionOption>>;
  /** @throws StartFailure, whose message is all that is printed */
  run(call: ProjectionCall): Promise<void>;
}

interface ProjectionOption {
  readonly type: 'boolean' | 'string';
  readonly meaning: string;
}

/** The words behind the command, and the environment. */
export interface ProjectionCall {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly variables: NodeJS.ProcessEnv;
}

/** The stores from which the tables of an installation are filled, and those where they are. */
interface Stores {
  readonly eventStore: EventStore;
  readonly intakeLog: IntakeLog;
  /** The pool of the main database. */
  readonly pool: Pool;
  readonly stores: readonly ReadStore[];
}

/** Runs work on the stores of an installation. @throws StartFailure for what an operator can understand */
export async function withStores(variables: NodeJS.ProcessEnv, work: (of: Stores) => Promise<void>): Promise<void> {
  const of = storesForTools(variables);
  const { databaseUrl } = of;
  const eventStore = await openEventStore(of);
  const intakeLog = await openIntakeLog({ databaseUrl });
  const patience = { idleInTransactionTimeoutMs: 60_000 }; // no other projector waits for it
  const pool = openProjectionPool(databaseUrl, patience);
  const stores = openStorePools(of.readDatabaseUrls, patience);
  try {
    await work({ eventStore, intakeLog, pool, stores });
  } catch (error) {
    throw asSentence(error);
  } finally {
    const pools = [{ pool }, ...stores].map((each) => each.pool.end());
    await Promise.all([eventStore.close(), intakeLog.close(), ...pools]);
  }
}

/** Runs work on the groups of an installation, in all its read stores. @throws StartFailure for what an operator can understand */
export const withGroups = (
  variables: NodeJS.ProcessEnv,
  work: (groups: readonly BoundGroup[], main: Pick<Stores, 'eventStore' | 'pool'>) => Promise<void>,
): Promise<void> => withStores(variables, (of) => work(boundGroups({ ...of, spillTo: dataDirOf(variables) }), of));

/** Returns what an operator can do something about, as a sentence; anything else as it is. */
export function asSentence(error: unknown): unknown {
  if (error instanceof NotRebuilt || error instanceof TablesOfAnotherProgram) return new StartFailure(error.message);
  if (isDiskFull(error)) return new StartFailure('The disk of the database is full; make room there and begin again.');
  return isUnavailable(error) ? new StartFailure(`The database went away: ${errorMessage(error)}`) : error;
}

export const NAMES = 'NAME…|all';
export const NAMES_MEANING = `a NAME is a group (${GROUPS.join(', ')}) or a table; of tables with the name of a group: GROUP.TABLE`;

/** The tables that were named of one group; in each of its read stores. */
interface NamedTables {
  readonly group: BoundGroup;
  readonly tables: readonly ReadModel[];
}

/** @throws StartFailure for a name that is none */
export function namedTables(groups: readonly BoundGroup[], words: readonly string[]): readonly NamedTables[] {
  const unknown = words.find((word) => word !== 'all' && !groups.some((group) => tablesNamed(group, word).length > 0));
  if (unknown !== undefined)
    throw new StartFailure(
      `There is no group or table "${unknown}". The groups are ${GROUPS.join(', ')}; "all" means all of them.`,
    );
  return groups.flatMap((group) => {
    const named = new Set(words.flatMap((word) => tablesNamed(group, word)));
    if (named.size === 0) return [];
    // in the order of the group: all of its tables are the group
    const tables = named.size === group.builds.length ? group.builds : group.builds.filter((model) => named.has(model));
    return [{ group, tables }];
  });
}

function tablesNamed({ name, builds }: BoundGroup, word: string): readonly ReadModel[] {
  if (word === 'all' || word === name) return builds;
  const isGroup = GROUPS.some((each) => each === word);
  return builds.filter((model) => `${name}.${model.name}` === word || (!isGroup && model.name === word));
}

/** The group or tables, with the place of their store if there are several. */
export function tablesLabel({ group, tables }: NamedTables): string {
  const { place, stores } = group.share;
  const named = tables === group.builds ? group.name : tables.map(({ name }) => name).join(', ');
  return stores === 1 ? named : `${named} (store ${place})`;
}
