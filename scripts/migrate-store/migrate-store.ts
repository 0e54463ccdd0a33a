import { parseArgs } from 'node:util';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { migrate } from '@ledgerline/platform/database/migrate';
import { openPool } from '@ledgerline/platform/database/pool';
import { copyEvents, CopyRefused, verifyCopy } from '@ledgerline/platform/event-store/copy-events';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { SingleBar } from 'cli-progress';
import type { Installation } from './installation';
import { checkpointsIn, moveCheckpoints } from './move-checkpoints';

export const USAGE = `Usage: npm run migrate-store -- --from postgres --to eventstoredb
       npm run migrate-store -- --from eventstoredb --to postgres
Stop the product first. Reads EVENTSTORE_URL, and where the product has no database of its own, DATABASE_URL and
AUDIT_SIGNING_KEY.`;

const KINDS = ['postgres', 'eventstoredb'] as const;
type Kind = (typeof KINDS)[number];

export interface Direction {
  readonly from: Kind;
  readonly to: Kind;
}

/** @throws StartFailure with the usage */
export function readDirection(args: readonly string[]): Direction {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const [from, to] = [values.from, values.to].map((value) => KINDS.find((kind) => kind === value));
    if (from && to && from !== to) return { from, to };
  } catch {
    // an unknown option: the usage says it all
  }
  throw new StartFailure(USAGE);
}

/**
 * Copies the decided events to the other store. While the product runs that is all; else the copy is verified, and the
 * projections go on in it. @throws StartFailure for what the user can mend
 */
export async function migrateStore(
  { from, to }: Direction,
  installation: Installation,
  eventStoreUrl: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const stores: EventStore[] = [];
  try {
    await migrate(installation.databaseUrl);
    for (const kind of [from, to]) stores.push(await open(kind, installation, eventStoreUrl?.trim()));
    const [source, target] = stores as [EventStore, EventStore];
    const { events, copied } = await withBar('copying', (tell) => copyEvents(source, target, tell));
    print(`${events} events are in both stores (${copied} copied now).`);
    if (installation.isRunning) {
      print('The product is running: stop it and run this again, to copy the rest and to verify.');
      return;
    }
    await finish(source, target, installation.databaseUrl, print);
    print(`Now start the product with EVENT_STORE=${to}; nothing has to be rebuilt.`);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

async function finish(source: EventStore, target: EventStore, url: string, print: (text: string) => void) {
  const pool = openPool({ url, name: 'migrate-store', max: 1 });
  try {
    const cursors = await checkpointsIn(pool, source);
    const verified = await withBar('verifying', (tell) => verifyCopy(source, target, cursors, tell));
    await moveCheckpoints(pool, source, target, verified.places);
    print(`${verified.events} events of ${verified.organizations} organizations are the same; every chain holds.`);
  } finally {
    await pool.end();
  }
}

function open(kind: Kind, { databaseUrl, signingKey }: Installation, url: string | undefined): Promise<EventStore> {
  if (kind === 'postgres') return openEventStore({ kind, databaseUrl });
  if (!url)
    throw new StartFailure('EVENTSTORE_URL must be a connection string such as esdb://localhost:2113?tls=false.');
  const onFailure = (error: unknown) => {
    throw error;
  };
  return openEventStore({ kind, url, seal: { key: signingKey, onFailure } });
}

async function withBar<T>(phase: string, work: (tell: (events: number) => void) => Promise<T>): Promise<T> {
  const bar = new SingleBar({ format: '{phase} {bar} {value} events · {duration_formatted}', hideCursor: true });
  bar.start(1, 0, { phase });
  try {
    return await work((events) => {
      bar.setTotal(Math.max(events, 1));
      bar.update(events);
    });
  } catch (error) {
    throw error instanceof CopyRefused ? new StartFailure(error.message) : error;
  } finally {
    bar.stop();
  }
}
