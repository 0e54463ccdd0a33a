import { parseArgs } from 'node:util';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { migrate } from '@ledgerline/platform/database/migrate';
import { openPool } from '@ledgerline/platform/database/pool';
import { copyEvents, CopyRefused, type CopyResult } from '@ledgerline/platform/event-store/copy-events';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { SingleBar } from 'cli-progress';
import { moveCheckpoints } from './move-checkpoints';

const USAGE = `Usage: npm run migrate-store -- --from postgres --to eventstoredb
       npm run migrate-store -- --from eventstoredb --to postgres
Stop api, tracker and projector first. Reads DATABASE_URL and EVENTSTORE_URL.`;

const KINDS = ['postgres', 'eventstoredb'] as const;
type Kind = (typeof KINDS)[number];

/** Copies the decided events to the other store and verifies the copy. @throws StartFailure for what the user can mend */
export async function migrateStore(
  args: readonly string[],
  variables: Readonly<NodeJS.ProcessEnv>,
  print: (text: string) => void,
): Promise<void> {
  const { from, to } = readArguments(args);
  const { databaseUrl } = storesForTools(variables);
  await migrate(databaseUrl);
  const pool = openPool({ url: databaseUrl, name: 'migrate-store', max: 1 });
  const stores: EventStore[] = [];
  try {
    for (const kind of [from, to]) stores.push(await open(kind, databaseUrl, variables.EVENTSTORE_URL?.trim()));
    const [source, target] = stores as [EventStore, EventStore];
    print(sentence(await withBar(source, target)));
    const left = await moveCheckpoints(pool, source, target);
    if (left > 0) print('Rebuild the registry on the other store: npm run projections -- rebuild registry');
    print(`Now start the product with EVENT_STORE=${to}.`);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await pool.end();
  }
}

const sentence = ({ events, copied, organizations }: CopyResult): string =>
  `${events} events of ${organizations} organizations are in both stores (${copied} copied now); every chain holds.`;

function readArguments(args: readonly string[]): { from: Kind; to: Kind } {
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

function open(kind: Kind, databaseUrl: string, url: string | undefined): Promise<EventStore> {
  if (kind === 'postgres') return openEventStore({ kind, databaseUrl });
  if (!url)
    throw new StartFailure('EVENTSTORE_URL must be a connection string such as esdb://localhost:2113?tls=false.');
  const onFailure = (error: unknown) => {
    throw error;
  };
  return openEventStore({ kind, url, seal: { onFailure } });
}

async function withBar(source: EventStore, target: EventStore): Promise<CopyResult> {
  const bar = new SingleBar({ format: '{phase} {bar} {value} events · {duration_formatted}', hideCursor: true });
  bar.start(1, 0, { phase: 'copying' });
  try {
    return await copyEvents(source, target, (phase, events) => {
      bar.setTotal(Math.max(events, 1));
      bar.update(events, { phase });
    });
  } catch (error) {
    throw error instanceof CopyRefused ? new StartFailure(error.message) : error;
  } finally {
    bar.stop();
  }
}
