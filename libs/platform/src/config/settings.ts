import { type KeyObject, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import * as ipaddr from 'ipaddr.js';
import { fromKeys, keysOf } from '@ledgerline/contracts/json';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { Environment } from './environment';
import { type TrustProxy, dashboardOrigins, trustProxy } from './http-settings';
import {
  type KafkaSettings,
  type MailSettings,
  type TelemetrySettings,
  kafkaSettings,
  mailSettings,
  telemetrySettings,
} from './service-settings';
import { StartFailure } from './start-failure';

export const POSTGRES_EXAMPLE = 'postgres://user:password@localhost:5432/ledgerline';
export const POSTGRES_URL = /^postgres(ql)?:\/\//;

/** READ_DATABASE_URLS, in order; undefined where it is not set. */
function readDatabaseUrls(env: Environment): readonly string[] | undefined {
  const urls = listIn(env.optional('READ_DATABASE_URLS'));
  const isWrong = urls?.some((url) => !(POSTGRES_URL.test(url) && parseUrl(url) !== null));
  if (isWrong)
    return env.wrong(
      `READ_DATABASE_URLS is not a list, separated by commas, of URLs such as ${POSTGRES_EXAMPLE}.`,
      urls,
    );
  if (urls && new Set(urls.map(databaseOf)).size < urls.length)
    env.wrong('READ_DATABASE_URLS names a database twice; each read store needs one of its own.');
  return urls;
}

/** PROJECTOR_STORES: places in READ_DATABASE_URLS, from 1; undefined = all. */
function projectorStores(env: Environment, stores: number): readonly number[] | undefined {
  const value = env.optional('PROJECTOR_STORES');
  const places = listIn(value)?.map((text) => (/^\d+$/.test(text) ? Number(text) : 0));
  if (places?.every((place) => place >= 1 && place <= stores)) return places;
  if (places)
    env.wrong(`PROJECTOR_STORES is "${value ?? ''}"; it must be places in READ_DATABASE_URLS, from 1 to ${stores}.`);
  return undefined;
}

const listIn = (value: string | undefined): string[] | undefined => value?.split(',').map((each) => each.trim());

/** Server and name, whoever connects. */
function databaseOf(text: string): string {
  const url = parseUrl(text);
  return `${url?.hostname}:${url?.port || 5432}${url?.pathname}`;
}

/** The configuration of a process, read once at start from environment variables (docs/configuration.md). */
export interface Settings {
  readonly databaseUrl: string;
  /** READ_DATABASE_URLS: the databases of the read models of websites and links; by default DATABASE_URL alone. */
  readonly readDatabaseUrls: readonly string[];
  /** PROJECTOR_STORES: places in that list, from 1; absent = all. */
  readonly projectorStores: readonly number[] | undefined;
  /** EVENTSTORE_URL; present when EVENT_STORE is `eventstoredb`, else decided events are in Postgres. */
  readonly eventStoreUrl: string | undefined;
  /** Present when INTAKE_LOG is `kafka`: trackers send hits there, and projectors copy them into the intake log. */
  readonly kafka: KafkaSettings | undefined;
  /** The fixed number of partitions of the intake log; only the first start of a database chooses it. */
  readonly intakePartitions: number;
  /** The address api and tracker listen on. */
  readonly listenAddress: string;
  readonly apiPort: number;
  readonly trackerPort: number;
  /** Public addresses, without a trailing slash. */
  readonly publicApiUrl: string;
  readonly publicTrackUrl: string;
  /** Origins whose pages may use the api with a session, beside its own. */
  readonly dashboardOrigins: readonly string[];
  /** The proxies that are believed who the client is. */
  readonly trustProxy: TrustProxy;
  /** GEOIP_DB_PATH; absent = the database that comes with the product. */
  readonly geoipDbPath: string | undefined;
  readonly dataDir: string;
  readonly logLevel: LogLevel;
  readonly authSecret: string;
  readonly keyPepper: string;
  /** The Ed25519 private key that signs heads of the audit chain. */
  readonly auditSigningKey: KeyObject;
  /** ACCEPT_DOWNTIME: the projector fills tables that were not prepared while what reads them is not answered. */
  readonly acceptDowntime: boolean;
  /** LEDGERLINE_DEMO: the api makes the demo organization when the store is empty. */
  readonly demo: boolean;
  /** OPERATOR_EMAILS, in lower case: whose accounts see the figures of the whole installation. */
  readonly operatorEmails: readonly string[];
  /** SIGN_UP: who may create an account. */
  readonly signUp: SignUpMode;
  /** Mails to people: invitations, password resets and changes of address. */
  readonly mail: MailSettings;
  /** MAIL_FILE_DAYS: how long mails in files are kept. */
  readonly mailFileDays: number;
  /** SIGN_IN_DAYS: how long a sign-in lasts that is not used, with what is stored of it. */
  readonly signInDays: number;
  /** MONITOR_RESULT_DAYS: how long results of monitors are kept in read models. */
  readonly monitorResultDays: number;
  /** QUERY_CACHE_MB: memory for what questions have read of past days; 0 = nothing is kept. */
  readonly queryCacheMb: number;
  /** The memory of an api for what its questions hold. */
  readonly queryMemoryMb: number;
  /** ANSWER_CACHE_MB: memory for answers to questions; 0 = nothing is kept. */
  readonly answerCacheMb: number;
  /** API_HEAP_MB, TRACKER_HEAP_MB and PROJECTOR_HEAP_MB; absent = by the memory of the machine. */
  readonly heapMb: Heaps;
  /** CLICK_ROOM_MB: what is kept free on the disk of a tracker for clicks that the intake log does not take. */
  readonly clickRoomMb: number;
  /** UNRECORDED_CLICKS: whether a link is followed whose click can be recorded nowhere. */
  readonly unrecordedClicks: (typeof UNRECORDED_CLICKS)[number];
  readonly limits: Limits;
  /** METRICS_TOKEN; absent = only requests of this machine may read /metrics. */
  readonly metricsToken: string | undefined;
  /** MONITOR_ALLOW_PRIVATE: monitors may check addresses of private networks and of this machine. */
  readonly monitorAllowPrivate: boolean;
  /** DESTINATION_ALLOW: networks of one's own that destinations may be in, as CIDRs. */
  readonly destinationAllow: readonly string[];
  /** Where the projector, which has no other port, serves /metrics. */
  readonly projectorMetricsPort: number;
  /** OTEL_EXPORTER_OTLP_ENDPOINT; absent = nothing is exported. */
  readonly telemetry: TelemetrySettings | undefined;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All, those with an invitation or an operator's address, or none. */
export const SIGN_UP_MODES = ['open', 'invited', 'closed'] as const;
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

const UNRECORDED_CLICKS = ['refuse', 'redirect'] as const;

/** Default of INTAKE_PARTITIONS. */
export const INTAKE_PARTITIONS = 8;

/** Each limit with its variable and its default. */
const LIMITS = {
  queryPerMinute: ['LIMIT_QUERY_PER_MINUTE', 120],
  queryAnonymousPerMinute: ['LIMIT_QUERY_ANONYMOUS_PER_MINUTE', 60],
  apiPerMinute: ['LIMIT_API_PER_MINUTE', 300],
  publicPerMinute: ['LIMIT_PUBLIC_PER_MINUTE', 600],
  flagsPerKeyPerMinute: ['LIMIT_FLAGS_PER_KEY_PER_MINUTE', 60_000],
  failedAuthPerMinute: ['LIMIT_FAILED_AUTH_PER_MINUTE', 30],
  auditExportPerMinute: ['LIMIT_AUDIT_EXPORT_PER_MINUTE', 5],
  eventsPerKeyPerMinute: ['LIMIT_EVENTS_PER_KEY_PER_MINUTE', 60_000],
  requestsPerWebsiteAndIpPerMinute: ['LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE', 600],
  redirectsPerIpPerMinute: ['LIMIT_REDIRECTS_PER_IP_PER_MINUTE', 600],
  /** Per visitor of a website, or per session without visitor; further hits are stored without a visitor. */
  hitsPerVisitorPerDay: ['LIMIT_HITS_PER_VISITOR_PER_DAY', 10_000],
} as const;
export type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/** The settings, or a StartFailure with one sentence for each variable that is wrong. */
export const loadSettings = (variables: Readonly<NodeJS.ProcessEnv>): Settings => read(variables, settingsIn);

/** The signing key alone, for tools. @throws StartFailure */
export const loadSigningKey = (variables: Readonly<NodeJS.ProcessEnv>): KeyObject => read(variables, signingKey);

/** The limits alone, for tools. @throws StartFailure with one sentence for each that is wrong */
export const loadLimits = (variables: Readonly<NodeJS.ProcessEnv>): Limits => read(variables, limits);

/** The heaps alone, for what starts the processes. @throws StartFailure with one sentence for each that is wrong */
export const loadHeaps = (variables: Readonly<NodeJS.ProcessEnv>): Heaps => read(variables, heaps);

/** READ_DATABASE_URLS alone, for tools; undefined where it is not set. @throws StartFailure */
export function loadReadDatabaseUrls(variables: Readonly<NodeJS.ProcessEnv>): readonly string[] | undefined {
  return read(variables, (env) => ({ urls: readDatabaseUrls(env) })).urls;
}

function read<T>(variables: Readonly<NodeJS.ProcessEnv>, readFrom: (env: Environment) => T | undefined): T {
  const env = new Environment(variables);
  const value = readFrom(env);
  if (env.problems.length > 0 || value === undefined) throw new StartFailure(env.problems.join('\n'));
  return value;
}

const MB = 1024 * 1024;

/** MB that processes may take: those of the machine, or of the cgroup of this process where it has fewer. */
export const memoryMb = (machine = totalmem(), cgroup = process.constrainedMemory()): number =>
  Math.floor(Math.min(machine, cgroup || Infinity) / MB);

/** The share of the memory of the machine, or of the cgroup, that the questions of an api may hold. */
export const QUERY_SHARE = 1 / 4;

function settingsIn(env: Environment): Settings | undefined {
  const apiPort = env.integer('API_PORT', 3000, { min: 1, max: 65_535 });
  const trackerPort = env.integer('TRACKER_PORT', 3001, { min: 1, max: 65_535 });
  if (apiPort === trackerPort) env.wrong(`API_PORT and TRACKER_PORT are both ${apiPort}; they must differ.`);
  const auditSigningKey = signingKey(env);
  const url = databaseUrl(env);
  const readUrls = readDatabaseUrls(env) ?? [url];
  const queryMemoryMb = env.integer('QUERY_MEMORY_MB', Math.floor(memoryMb() * QUERY_SHARE), {
    min: 16,
    max: 1_048_576,
  });
  const settings = {
    databaseUrl: url,
    readDatabaseUrls: readUrls,
    projectorStores: projectorStores(env, readUrls.length),
    eventStoreUrl: eventStoreUrl(env),
    kafka: kafkaSettings(env),
    intakePartitions: env.integer('INTAKE_PARTITIONS', INTAKE_PARTITIONS, { min: 1, max: 256 }),
    listenAddress: listenAddress(env),
    apiPort,
    trackerPort,
    publicApiUrl: env.httpUrl('PUBLIC_API_URL', `http://localhost:${apiPort}`),
    publicTrackUrl: env.httpUrl('PUBLIC_TRACK_URL', `http://localhost:${trackerPort}`),
    dashboardOrigins: dashboardOrigins(env),
    trustProxy: trustProxy(env),
    geoipDbPath: env.existingFile('GEOIP_DB_PATH'),
    dataDir: resolve(env.optional('DATA_DIR') ?? '.data'),
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    authSecret: env.secret('AUTH_SECRET'),
    keyPepper: env.secret('KEY_PEPPER'),
    acceptDowntime: env.flag('ACCEPT_DOWNTIME'),
    demo: env.flag('LEDGERLINE_DEMO'),
    operatorEmails: operatorEmails(env),
    signUp: env.oneOf('SIGN_UP', SIGN_UP_MODES, 'invited'),
    mail: mailSettings(env),
    mailFileDays: env.integer('MAIL_FILE_DAYS', 7, { min: 1, max: 365 }),
    signInDays: env.integer('SIGN_IN_DAYS', 7, { min: 1, max: 365 }),
    monitorResultDays: env.integer('MONITOR_RESULT_DAYS', 731, { min: 90, max: 36_500 }),
    queryMemoryMb,
    queryCacheMb: env.integer('QUERY_CACHE_MB', Math.floor(Math.min(128, queryMemoryMb / 4)), {
      min: 0,
      max: 1_048_576,
    }),
    answerCacheMb: env.integer('ANSWER_CACHE_MB', 32, { min: 0, max: 1_048_576 }),
    heapMb: heaps(env),
    clickRoomMb: env.integer('CLICK_ROOM_MB', 64, { min: 1, max: 65_536 }),
    unrecordedClicks: env.oneOf('UNRECORDED_CLICKS', UNRECORDED_CLICKS, 'refuse'),
    limits: limits(env),
    metricsToken: metricsToken(env),
    monitorAllowPrivate: env.flag('MONITOR_ALLOW_PRIVATE'),
    destinationAllow: destinationAllow(env),
    projectorMetricsPort: env.integer('PROJECTOR_METRICS_PORT', 9464, { min: 1, max: 65_535 }),
    telemetry: telemetrySettings(env),
  };
  return auditSigningKey && { ...settings, auditSigningKey };
}

function destinationAllow(env: Environment): readonly string[] {
  const networks = listIn(env.optional('DESTINATION_ALLOW')) ?? [];
  const wrong = networks.find((network) => !ipaddr.isValidCIDR(network));
  if (wrong !== undefined)
    env.wrong(`DESTINATION_ALLOW names "${wrong}"; it must be networks such as 10.0.0.0/8, separated by commas.`);
  return networks;
}

const EMAIL = /^[^\s<>@,;"]+@[^\s<>@,;"]+$/;

function operatorEmails(env: Environment): readonly string[] {
  const named = (env.optional('OPERATOR_EMAILS') ?? '').split(',').map((email) => email.trim().toLowerCase());
  const emails = [...new Set(named)].filter((email) => email !== '');
  const wrong = emails.find((email) => !EMAIL.test(email));
  if (wrong !== undefined)
    env.wrong(`OPERATOR_EMAILS names "${wrong}"; it must be addresses such as ops@example.com, separated by commas.`);
  return emails;
}

const MIN_TOKEN_LENGTH = 16;

function metricsToken(env: Environment): string | undefined {
  const token = env.optional('METRICS_TOKEN');
  if (token !== undefined && token.length < MIN_TOKEN_LENGTH)
    env.wrong(`METRICS_TOKEN is too short; it must have at least ${MIN_TOKEN_LENGTH} characters.`);
  return token;
}

function databaseUrl(env: Environment): string {
  const url = env.required('DATABASE_URL', `a connection string such as ${POSTGRES_EXAMPLE}`);
  return env.connection('DATABASE_URL', url, POSTGRES_URL, POSTGRES_EXAMPLE);
}

function eventStoreUrl(env: Environment): string | undefined {
  if (env.oneOf('EVENT_STORE', ['postgres', 'eventstoredb'], 'postgres') === 'postgres') return undefined;
  const example = 'esdb://localhost:2113?tls=false';
  const url = env.required('EVENTSTORE_URL', `a connection string such as ${example} with EVENT_STORE=eventstoredb`);
  const pattern = /^esdb(\+discover)?:\/\/./;
  if (url !== '' && !pattern.test(url)) env.wrong(`EVENTSTORE_URL is not a connection string such as ${example}.`);
  return url;
}

function listenAddress(env: Environment): string {
  const value = env.optional('LISTEN_ADDRESS') ?? '0.0.0.0';
  if (isIP(value) > 0 || value === 'localhost') return value;
  return env.wrong(`LISTEN_ADDRESS is "${value}"; it must be an IP address such as 127.0.0.1.`, value);
}

function signingKey(env: Environment): KeyObject | undefined {
  const what = 'an Ed25519 private key (PKCS#8), as PEM or as base64 of its DER form';
  const text = env.required('AUDIT_SIGNING_KEY', what);
  if (text === '') return undefined;
  try {
    const key = text.includes('-----BEGIN')
      ? createPrivateKey(text.replaceAll('\\n', '\n'))
      : createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // reported below, without the key
  }
  env.wrong(`AUDIT_SIGNING_KEY cannot be read; it must be ${what}.`);
  return undefined;
}

export type Heaps = Readonly<Record<'api' | 'tracker' | 'projector', number | undefined>>;

function heaps(env: Environment): Heaps {
  const heap = (name: string) => env.integer(name, undefined, { min: 64, max: 1_048_576 });
  return { api: heap('API_HEAP_MB'), tracker: heap('TRACKER_HEAP_MB'), projector: heap('PROJECTOR_HEAP_MB') };
}

function limits(env: Environment): Limits {
  return fromKeys(keysOf(LIMITS), (limit) => {
    const [variable, fallback] = LIMITS[limit];
    return env.integer(variable, fallback, { min: 1, max: 1_000_000_000 });
  });
}
