import type { KeyObject } from 'node:crypto';
import { openPool } from '@ledgerline/platform/database/pool';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { type FaultListener, SealingFaults } from '@ledgerline/platform/event-store/verify-chain';

interface Options {
  readonly key: KeyObject;
  /** The data directory of a process of its own; none = it remembers nothing outside the database. */
  readonly dataDir?: string;
  readonly onFault?: FaultListener;
  /** Called with what is logged. */
  readonly onLog?: (message: string, details: object) => void;
}

/** Signs the heads of the hash chains in a database, as a projector does. */
export async function openSigning(databaseUrl: string, { key, dataDir, onFault, onLog = () => undefined }: Options) {
  const database = openPool({ url: databaseUrl, name: 'spec-signing', max: 2 });
  await addPublicKey(database, key);
  const store = new PostgresEventStore(databaseUrl);
  const log = (details: object, message = '') => onLog(message, details);
  const logger = { info: log, warn: log };
  const file = dataDir === undefined ? undefined : statementFile(dataDir);
  const signing = new HeadSigning({
    store,
    database,
    statements: new StatementChain({ database, key, file, logger }),
    faults: new SealingFaults(database, onFault),
    keyId: keyIdOf(key),
    logger,
    paceMs: 20,
  });
  const close = async () => {
    await signing.stop();
    await store.close();
    await database.end();
  };
  return { signing, close };
}
