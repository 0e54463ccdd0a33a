import type { Website } from '@ledgerline/contracts/records';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { loadLimits } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { openEventStore, type EventStoreAddress } from '@ledgerline/platform/event-store/event-store.factory';
import { GeoDatabase } from '../visitors/geo-database';
import { HitsPerVisitor } from '../visitors/hits-per-visitor';
import { findWebsite } from './find-website';
import { importFiles } from './import-files';
import { ImportIdentity } from './import-identity';
import { emptyReport, whyFewer, whyNothing, type ImportReport } from './import-report';
import { openDestination } from './destination';
import { Progress } from './progress';
import { reportTable } from './report-table';
import { findSources } from './sources';

export const USAGE = `Usage: npm run import -- --website ID [--dry-run] FILE…

Imports access logs in the combined format of Apache and nginx, plain or packed (gzip, bzip2, Zstandard).
FILE may be a pattern ('logs/*.gz') or - for what is piped in, which counts as one file.
Lines that were imported before add nothing, so an import that was interrupted is run again to go on.

  --dry-run   reads and judges every line and stores nothing`;

/** What the command gets from its process. */
export interface CommandIo {
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  readonly stdin: Readable & { readonly fd?: number };
  /** When aborted, the import ends with its table. */
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/** Imports access logs into a website and prints a report, always. @throws StartFailure for what the user can correct */
export async function runImport(args: readonly string[], io: CommandIo): Promise<void> {
  const { websiteId, dryRun, names } = readArguments(args);
  const report = emptyReport();
  const sources = await findSources(names, io.stdin, (text) => report.warnings.push(text));
  const stores = storesForTools(io.variables);
  const hitsPerVisitor = new HitsPerVisitor(loadLimits(io.variables).hitsPerVisitorPerDay, () => undefined);
  const website = await withWebsite(stores, websiteId);
  const geo = await GeoDatabase.open(io.variables.GEOIP_DB_PATH);
  const { log, secret } = await openDestination(stores.databaseUrl, websiteId, dryRun);
  const progress = new Progress(sources);
  const started = performance.now();
  const say = (text: string) => {
    progress.clearLine();
    io.print(text);
  };
  try {
    const identity = new ImportIdentity(websiteId, secret);
    const onBytes = (count: number) => progress.add(count);
    const { signal } = io;
    await importFiles(
      sources,
      { website, identity, geo, hitsPerVisitor, log, now: Date.now, onBytes, signal, say },
      report,
    );
  } finally {
    progress.stop();
    await log.close();
    io.print(ending(report, (performance.now() - started) / 1000, dryRun, io.signal.aborted));
  }
  const failures = [...report.failures, ...(io.signal.aborted ? [] : [whyNothing(report)])].filter(Boolean);
  if (failures.length > 0) throw new StartFailure(failures.join('\n'));
}

function ending(report: ImportReport, seconds: number, isDryRun: boolean, interrupted: boolean): string {
  const warnings = [...report.warnings, whyFewer(report)].filter((text) => text !== undefined);
  return [
    reportTable(report, seconds, isDryRun),
    ...(isDryRun ? ['This was a dry run: nothing was stored.'] : []),
    ...warnings.map((text) => `Warning: ${text}`),
    ...(interrupted ? ['Interrupted: the same command goes on where it was.'] : []),
  ].join('\n');
}

function readArguments(args: readonly string[]): { websiteId: string; dryRun: boolean; names: readonly string[] } {
  try {
    const options = { website: { type: 'string' }, 'dry-run': { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.website !== undefined && positionals.length > 0)
      return { websiteId: values.website, dryRun: values['dry-run'] ?? false, names: positionals };
  } catch {
    // an unknown option: the usage follows
  }
  throw new StartFailure(USAGE);
}

async function withWebsite(address: EventStoreAddress, id: string): Promise<Website> {
  const pool = openPool({ url: address.databaseUrl, name: 'import', max: 1 });
  const store = await openEventStore(address);
  try {
    const website = await findWebsite(store, pool, id);
    if (website === undefined) throw new StartFailure(`There is no website ${id}.`);
    return website;
  } finally {
    await store.close();
    await pool.end();
  }
}
