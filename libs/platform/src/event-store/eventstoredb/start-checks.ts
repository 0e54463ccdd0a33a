import { setTimeout } from 'node:timers/promises';
import { AccessDeniedError } from '@eventstore/db-client';
import { StartFailure } from '../../config/start-failure';
import { INTERNAL_ORGANIZATION } from '../event-store';
import { isTombstone, type Connection } from './connection';
import { epochOf } from './epoch';
import { explainFailure } from './explain-failure';

/** Oldest version that this adapter was tested with. */
const OLDEST: readonly [number, number] = [23, 10];

/** @throws StartFailure with one sentence for people, StoreAway while the server is not reached */
export async function checkServer(connection: Connection): Promise<void> {
  try {
    await checkVersion(connection);
    await checkProjections(connection);
    await connection.readAll({ direction: 'backwards', maxCount: 1 });
    await checkCategories(connection);
    await epochOf(connection);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw explainFailure(error, connection.address);
  }
}

/** A tombstone is damage, but no lack of rights. */
async function checkCategories(connection: Connection): Promise<void> {
  try {
    await connection.readStream(`$ce-${INTERNAL_ORGANIZATION}`, { direction: 'backwards', maxCount: 1 });
  } catch (error) {
    if (!isTombstone(error)) throw error;
  }
}

async function checkVersion(connection: Connection): Promise<void> {
  const { serverVersion } = await connection.withTimeout(capabilitiesOf(connection));
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new StartFailure(`EventStoreDB ${serverVersion} is too old: version ${OLDEST.join('.')} or newer is needed.`);
}

/** A private field of the driver. */
const capabilitiesOf = ({ client }: Connection) =>
  (client as unknown as { capabilities: Promise<{ serverVersion: string }> }).capabilities;

/** How many timeouts a server that has just started may take to run its projections. */
const PROJECTIONS_START_WITHIN = 3;

/** An organization's history is the server's category stream; a server that has just started takes a while to fill it. */
async function checkProjections(connection: Connection): Promise<void> {
  const until = performance.now() + PROJECTIONS_START_WITHIN * connection.timeoutMs;
  let failure: unknown;
  do {
    try {
      if (await fillsCategories(connection)) return;
    } catch (error) {
      failure = error;
    }
    await setTimeout(250);
  } while (performance.now() < until);
  // TRICKY: a server without projections answers this question with any error, or never; is it running at all?
  await connection.readAll({ direction: 'backwards', maxCount: 1 });
  throw new StartFailure(
    'EventStoreDB does not run its system projections; start it with --run-projections=System --start-standard-projections=true.',
    { cause: failure },
  );
}

async function fillsCategories(connection: Connection): Promise<boolean> {
  try {
    const status = await connection.withTimeout(connection.client.getProjectionStatus('$by_category'));
    return status.projectionStatus.startsWith('Running');
  } catch (error) {
    if (error instanceof AccessDeniedError) return true; // reserved to operators
    throw error;
  }
}
