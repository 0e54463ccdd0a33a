import { DataSource, type MigrationInterface } from 'typeorm';
import { StartFailure } from '../config/start-failure';
import { checkPostgresServer } from './check-server';
import { EventDigests1764000001250 } from './migrations/1764000001250-event-digests';
import { Favicons1764000001270 } from './migrations/1764000001270-favicons';
import { ErasedHits1764000001280 } from './migrations/1764000001280-erased-hits';
import { VouchedKeys1764000001292 } from './migrations/1764000001292-vouched-keys';
import { SealedPositions1764000001294 } from './migrations/1764000001294-sealed-positions';
import { FindingsOfFullComparisons1764000001296 } from './migrations/1764000001296-findings-of-full-comparisons';
import { SealingProgress1764000001298 } from './migrations/1764000001298-sealing-progress';
import { ErasureRules1795997035372 } from './migrations/1795997035372-erasure-rules';
import { Expirations1795999000000 } from './migrations/1795999000000-expirations';
import { Backups1795999500000 } from './migrations/1795999500000-backups';
import { IntakeRewrites1796025600000 } from './migrations/1796025600000-intake-rewrites';
import { Destinations1796025700000 } from './migrations/1796025700000-destinations';
import { ObservedMessages1796040000000 } from './migrations/1796040000000-observed-messages';
import { DestinationConsents1796050000000 } from './migrations/1796050000000-destination-consents';
import { FileRewrites1796060000000 } from './migrations/1796060000000-file-rewrites';
import { PersonalStatistics1796061000000 } from './migrations/1796061000000-personal-statistics';
import { DeliveryNotices1796062000000 } from './migrations/1796062000000-delivery-notices';
import { AlertStates1796063000000 } from './migrations/1796063000000-alert-states';
import { Reports1796300000000 } from './migrations/1796300000000-reports';
import {
  Baseline1764000001241,
  ReadModelBaseline1764000001240,
  recogniseBaselines,
} from './migrations/baseline/baseline';
import { sessionSetup } from './pool';

/** In order; a migration that was released is never changed. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  ReadModelBaseline1764000001240,
  Baseline1764000001241,
  EventDigests1764000001250,
  Favicons1764000001270,
  ErasedHits1764000001280,
  VouchedKeys1764000001292,
  SealedPositions1764000001294,
  FindingsOfFullComparisons1764000001296,
  SealingProgress1764000001298,
  ErasureRules1795997035372,
  Expirations1795999000000,
  Backups1795999500000,
  IntakeRewrites1796025600000,
  Destinations1796025700000,
  ObservedMessages1796040000000,
  DestinationConsents1796050000000,
  FileRewrites1796060000000,
  PersonalStatistics1796061000000,
  DeliveryNotices1796062000000,
  AlertStates1796063000000,
  Reports1796300000000,
];

/** The migrations of a database of read models that has neither logs nor a registry. */
export const READ_STORE_MIGRATIONS: typeof MIGRATIONS = [
  ReadModelBaseline1764000001240,
  EventDigests1764000001250,
  ErasedHits1764000001280,
  FindingsOfFullComparisons1764000001296,
  ErasureRules1795997035372,
  Expirations1795999000000,
  FileRewrites1796060000000,
];

/**
 * Brings a database to the schema of this version; safe to run from several processes at once. Returns the migrations
 * applied.
 * @throws StartFailure for a server that is too old, or a pooler that cannot be used
 */
export const migrate = (url: string): Promise<readonly string[]> => runMigrations(url, MIGRATIONS);

/** Migrates up to the schema that had these migrations, by name. */
export const migrateUpTo = (url: string, names: readonly string[]): Promise<readonly string[]> =>
  runMigrations(
    url,
    MIGRATIONS.filter(({ name }) => names.includes(name)),
  );

/** Migrates a read store; nothing is left to do where it is the main database. */
export const migrateReadStore = (url: string): Promise<readonly string[]> => runMigrations(url, READ_STORE_MIGRATIONS);

async function runMigrations(url: string, migrations: typeof MIGRATIONS): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: [...migrations],
    migrationsTableName: 'migrations',
    applicationName: 'ledgerline-migrations',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { onConnect: sessionSetup({}) },
  });
  await checkPostgresServer(url);
  await source.initialize();
  try {
    await assertVersion(source);
    await source.query('select pg_advisory_lock(hashtext($1))', ['ledgerline migrations']);
    await recogniseBaselines(source);
    const applied = await source.runMigrations({ transaction: 'each' });
    return applied.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}

/** @throws StartFailure for a server that is too old */
async function assertVersion(source: DataSource): Promise<void> {
  const [{ number, version }] = await source.query<[{ number: number; version: string }]>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  if (number < OLDEST * 10_000)
    throw new StartFailure(
      `Postgres ${OLDEST} or newer is needed; a server of DATABASE_URL or READ_DATABASE_URLS is ${version}.`,
    );
}

/** The oldest release that the tests run on. */
const OLDEST = 15;
const CONNECT_TIMEOUT_MS = 10_000;
