import type { Website } from '@ledgerline/contracts/records';
import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { loadLimits } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { openEventStore, type EventStoreAddress } from '@ledgerline/platform/event-store/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { ImportSecret } from '@ledgerline/platform/salts/import-secret.entity';
import { SaltStore } from '@ledgerline/platform/salts/salt-store';
import { Salt } from '@ledgerline/platform/salts/salt.entity';
import { SingleBar } from 'cli-progress';
import { GeoDatabase } from '../visitors/geo-database';
import { HitsPerVisitor } from '../visitors/hits-per-visitor';
import { findWebsite } from './find-website';
import { importFiles, type ImportReport } from './import-files';
import { ImportIdentity } from './import-identity';
import type { ImportTarget } from './page-view-of-line';
import { reportTable } from './report-table';

export const USAGE = `Usage: npm run import -- --website ID FILE…

Imports access logs in combined format, plain or .gz. Lines that were imported before are skipped.`;

/** An import may wait out a restart of the database: nothing it sends twice counts twice. */
const RETRY_FOR_MS = 60_000;

/** Imports access logs into a website and prints a report. @throws StartFailure for what the user can correct */
export async function runImport(
  args: readonly string[],
  variables: Readonly<NodeJS.ProcessEnv>,
  print: (text: string) => void,
): Promise<void> {
  const { websiteId, files } = readArguments(args);
  const bytes = await sizeOf(files);
  const stores = storesForTools(variables);
  const { databaseUrl } = stores;
  const hitsPerVisitor = new HitsPerVisitor(loadLimits(variables).hitsPerVisitorPerDay, () => undefined);
  const website = await withWebsite(stores, websiteId);
  const identity = new ImportIdentity(websiteId, await importSecret(databaseUrl, websiteId));
  const geo = await GeoDatabase.open(variables.GEOIP_DB_PATH);
  const started = performance.now();
  const report = await importWithBar(files, bytes, { databaseUrl, website, identity, geo, hitsPerVisitor });
  print(reportTable(report, (performance.now() - started) / 1000));
}

async function importWithBar(
  files: readonly string[],
  bytes: number,
  { databaseUrl, ...deps }: ImportTarget & { databaseUrl: string },
): Promise<ImportReport> {
  const log = await openIntakeLog({ databaseUrl, retryForMs: RETRY_FOR_MS });
  const bar = new SingleBar({ format: 'importing {bar} {percentage}% · {eta_formatted} left', hideCursor: true });
  bar.start(Math.max(bytes, 1), 0);
  try {
    const onBytes = (count: number) => bar.increment(count);
    return await importFiles(files, { ...deps, log, now: Date.now, onBytes });
  } finally {
    bar.stop();
    await log.close();
  }
}

function readArguments(args: readonly string[]): { websiteId: string; files: readonly string[] } {
  try {
    const options = { website: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.website !== undefined && positionals.length > 0)
      return { websiteId: values.website, files: positionals };
  } catch {
    // an unknown option: the usage follows
  }
  throw new StartFailure(USAGE);
}

async function sizeOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory()) throw new StartFailure(`${file} is a folder; name the files in it.`);
    if (!found?.isFile()) throw new StartFailure(`There is no file ${file}.`);
    bytes += found.size;
  }
  return bytes;
}

async function withWebsite(address: EventStoreAddress, id: string): Promise<Website> {
  const store = await openEventStore(address);
  try {
    const website = await findWebsite(store, id);
    if (website === undefined) throw new StartFailure(`There is no website ${id}.`);
    return website;
  } finally {
    await store.close();
  }
}

async function importSecret(url: string, websiteId: string): Promise<Buffer> {
  const source = await openDataSource({ url, name: 'import', max: 1, entities: [Salt, ImportSecret] });
  try {
    return await new SaltStore(source).importSecret(websiteId);
  } finally {
    await source.destroy();
  }
}
