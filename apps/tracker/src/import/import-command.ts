import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { Website } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { type EventStoreAddress, openEventStore } from '@ledgerline/engines/event-store.factory';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { loadLimits } from '@ledgerline/platform/config/settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { openPool } from '@ledgerline/platform/database/pool';
import { type EventStore, decidedIn } from '@ledgerline/platform/event-store/event-store';
import { knownForever } from '@ledgerline/platform/intake-log/deduplication';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { BEGINNING, type ReaderPosition } from '@ledgerline/platform/log/log-reader';
import { readStoredRegistry } from '@ledgerline/platform/registry/stored-registry';
import { ImportSecret, SALT_BYTES, Salt, SaltStore } from '@ledgerline/platform/salts/visitor-salts';
import { isWithin } from '../parse';
import { GeoDatabase } from '../visitors/geo-database';
import { HitsPerVisitor } from '../visitors/visit-periods';
import { LOG_FORMATS } from './formats/formats';
import type { LogFormat } from './formats/log-format';
import { hostName } from './formats/logged-request';
import { importFiles } from './import-files';
import { emptyReport, type ImportReport, ImportProgress, reportTable, whyFewer, whyNothing } from './import-report';
import { ImportIdentity } from './page-view-of-line';
import { findSources } from './sources';

export const IMPORT_USAGE = `Usage: npm run import -- --website ID [--format NAME] [--host NAME]… [--dry-run] FILE…

Imports access logs in the combined format, JSON (Caddy, nginx, Traefik) or the W3C extended format (IIS, CloudFront),
with or without the prefix of Docker, Kubernetes or systemd, plain or packed (gzip, bzip2, Zstandard).
FILE may be a pattern ('logs/*.gz') or - for what is piped in, which counts as one file.
Lines that were imported before add nothing, so an import that was interrupted is run again to go on.

  --format NAME  reads lines of that format alone (${LOG_FORMATS.map(({ name }) => name).join(', ')});
                 without it, a line may be in any of them
  --host NAME    where lines name a virtual host: takes those of NAME, and of no other host;
                 without it, those of the website's domain, what lies under it, and its allowed origins
  --dry-run      reads and judges every line and stores nothing`;

/** The part of its process that the command is given. */
export interface CommandIo {
  readonly variables: Readonly<NodeJS.ProcessEnv>;
  readonly stdin: Readable & { readonly fd?: number };
  /** When aborted, the import ends with its table. */
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/** Imports access logs into a website and prints a report, always. @throws StartFailure for what the user can correct */
export async function runImport(args: readonly string[], io: CommandIo): Promise<void> {
  const { websiteId, dryRun, formats, hosts, names } = readArguments(args);
  const report = emptyReport(formats);
  const sources = await findSources(names, io.stdin, (text) => report.warnings.push(text));
  const stores = storesForTools(io.variables);
  const hitsPerVisitor = new HitsPerVisitor(loadLimits(io.variables).hitsPerVisitorPerDay, () => undefined);
  const website = await withWebsite(stores, websiteId);
  const geo = await GeoDatabase.open(io.variables.GEOIP_DB_PATH);
  const { log, secret } = await openDestination(stores.databaseUrl, websiteId, dryRun);
  const progress = new ImportProgress(sources);
  const started = performance.now();
  const say = (text: string) => {
    progress.clearLine();
    io.print(text);
  };
  try {
    const identity = new ImportIdentity(websiteId, secret, website.timezone);
    const onBytes = (count: number) => progress.add(count);
    const { signal } = io;
    const target = { website, identity, geo, hitsPerVisitor, formats, isOwnHost: ownHosts(website, hosts) };
    await importFiles(sources, { ...target, log, now: Date.now, onBytes, signal, say }, report);
  } finally {
    progress.stop();
    await log.close();
    io.print(ending(report, (performance.now() - started) / 1000, dryRun, io.signal.aborted));
  }
  const failures = [...report.failures, ...(io.signal.aborted ? [] : [whyNothing(report)])].filter(Boolean);
  if (failures.length > 0) throw new StartFailure(failures.join('\n'));
}

function ending(report: ImportReport, seconds: number, isDryRun: boolean, interrupted: boolean): string {
  const warnings = [...report.warnings, ...whyFewer(report)];
  return [
    reportTable(report, seconds, isDryRun),
    ...(isDryRun ? ['This was a dry run: nothing was stored.'] : []),
    ...warnings.map((text) => `Warning: ${text}`),
    ...(interrupted ? ['Interrupted: the same command goes on where it was.'] : []),
  ].join('\n');
}

interface Arguments {
  readonly websiteId: string;
  readonly dryRun: boolean;
  readonly formats: readonly LogFormat[];
  readonly hosts: readonly string[];
  readonly names: readonly string[];
}

function readArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    const { website: websiteId, 'dry-run': dryRun = false, host = [], format } = values;
    const hosts = host.flatMap((name) => hostName(name) ?? []);
    const formats = LOG_FORMATS.filter(({ name }) => name === (format ?? name));
    if (websiteId !== undefined && positionals.length > 0 && hosts.length === host.length && formats.length > 0)
      return { websiteId, dryRun, formats, hosts, names: positionals };
  } catch {
    // an unknown option: the usage follows
  }
  throw new StartFailure(IMPORT_USAGE);
}

const OPTIONS = {
  website: { type: 'string' },
  format: { type: 'string' },
  host: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
} as const;

/** Returns which hosts are the website's: the chosen ones, else what its settings say. */
const ownHosts = ({ domain, allowedOrigins }: Website, chosen: readonly string[]) =>
  chosen.length > 0
    ? (host: string) => chosen.includes(host)
    : (host: string) => isWithin(host, domain) || allowedOrigins.includes(host);

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

const TYPES: readonly DecidedEvent['type'][] = [
  'WebsiteRegistered',
  'WebsiteUpdated',
  'WebsiteDeleted',
  'OrganizationDeleted',
];

/** The website as it is, from the read models and the events after them; undefined when there is none of that id. */
async function findWebsite(store: EventStore, pool: Pool, id: string): Promise<Website | undefined> {
  const registry = new Registry();
  const stored = await readStoredRegistry(pool);
  if (stored) registry.load(stored);
  let { cursor, digest }: ReaderPosition = stored ?? { cursor: BEGINNING };
  for (;;) {
    const { events, next, atHead, ...read } = await store.read(0, cursor, { max: 1_000, types: TYPES, digest });
    for (const event of decidedIn(events)) registry.apply(event);
    if (atHead) return registry.find('websites', id);
    ({ digest } = read);
    cursor = next;
  }
}

/** An import may wait out a restart of the database: nothing it sends twice counts twice. */
const RETRY_FOR_MS = 60_000;

interface Destination {
  readonly log: Pick<IntakeLog, 'send' | 'close'>;
  /** The website's import secret. */
  readonly secret: Buffer;
}

/** Where imported page views go; a dry run only looks which of them are there, and creates no secret. */
async function openDestination(databaseUrl: string, websiteId: string, dryRun: boolean): Promise<Destination> {
  const secret = await importSecret(databaseUrl, websiteId, dryRun);
  const log = dryRun ? lookingOnly(databaseUrl) : await openIntakeLog({ databaseUrl, retryForMs: RETRY_FOR_MS });
  return { log, secret };
}

function lookingOnly(databaseUrl: string): Destination['log'] {
  const pool = openPool({ url: databaseUrl, name: 'import', max: 1 });
  return {
    send: async (hits) => {
      const known = await knownForever(
        pool,
        hits.map(({ event }) => event.id),
      );
      const outcomes = hits.map(({ event }) => (known.has(event.id) ? 'duplicate' : 'stored'));
      return { outcomes, positions: new Map() };
    },
    close: () => pool.end(),
  };
}

async function importSecret(url: string, websiteId: string, dryRun: boolean): Promise<Buffer> {
  const source = await openDataSource({ url, name: 'import', max: 1, entities: [Salt, ImportSecret] });
  try {
    if (!dryRun) return await new SaltStore(source).importSecret(websiteId);
    const existing = await source.getRepository(ImportSecret).findOneBy({ websiteId });
    return existing?.secret ?? randomBytes(SALT_BYTES);
  } finally {
    await source.destroy();
  }
}
