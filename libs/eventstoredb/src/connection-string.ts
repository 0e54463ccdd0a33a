import { EventStoreDBClient } from '@eventstore/db-client';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** The server in EVENTSTORE_URL, without the password. */
export interface ServerAddress {
  /** `host:port`, several with commas. */
  readonly place: string;
  readonly hasUser: boolean;
  readonly isTls: boolean;
}

const PATTERN =
  /^esdb(?:\+discover)?:\/\/(?<user>[^\s:@/?#]+:[^\s:@/?#]+@)?(?<place>[\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)*)\/?(?:\?(?<options>[^@]+))?$/;

/** The driver's default. */
const KEEP_ALIVE_MS = 10_000;
/**
 * The time that a node of a cluster may take to answer, one of which may be frozen; the driver waits for 5 s by
 * default.
 */
const GOSSIP_S = 2;

const OPTIONS = [
  'tls',
  'tlsCAFile',
  'tlsVerifyCert',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'defaultDeadline',
  'keepAliveInterval',
  'keepAliveTimeout',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'nodePreference',
  'throwOnAppendFailure',
];

/**
 * TRICKY: validated before the driver parses it, which prints the whole connection string with its password at an
 * unknown option, quotes parts of it in errors, cuts a password at a colon, and expects one before any @, also in the
 * options.
 * @throws StartFailure, which never shows the password
 */
export function parseConnectionString(url: string): ServerAddress {
  const { user, place, options = '' } = PATTERN.exec(url.trim())?.groups ?? {};
  if (place === undefined) {
    throw new StartFailure(
      'EVENTSTORE_URL is not a connection string such as esdb://user:password@host:2113?tlsCAFile=/ca.pem; a user or password with : @ / ? # or % has them written as %3A %40 %2F %3F %23 %25, and an option has its @ as %40.',
    );
  }
  if (/^esdb\+discover:.*,/.test(url.trim().split('?', 1).join()))
    throw new StartFailure(
      'EVENTSTORE_URL names several nodes, of which esdb+discover:// would ask the first alone; begin it with esdb://.',
    );
  const isTls = options === '' || checkOptions(options);
  if (user !== undefined && !isTls) {
    throw new StartFailure(
      'EVENTSTORE_URL has a user and tls=false, but a password is only sent over TLS; leave one of them out.',
    );
  }
  return { place, hasUser: user !== undefined, isTls };
}

let replacements = 0;

/**
 * A client with a TCP connection of its own.
 * TRICKY: clients without TLS and with equal settings share a connection, even a dead one, so this one gets another ping
 * timeout. With TLS every client has its own connection.
 */
export function createReplacementClient(url: string): EventStoreDBClient {
  const trimmed = url.trim();
  const options = [
    /keep[_-]*alive[_-]*timeout/i.test(trimmed) ? [] : `keepAliveTimeout=${KEEP_ALIVE_MS + ++replacements}`,
    /gossip[_-]*timeout/i.test(trimmed) ? [] : `gossipTimeout=${GOSSIP_S}`,
  ].flat();
  const separator = trimmed.includes('?') ? '&' : '?';
  return createEventStoreDbClient(options.length === 0 ? trimmed : `${trimmed}${separator}${options.join('&')}`);
}

/** @throws StartFailure, which never shows the password */
export function createEventStoreDbClient(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url.trim());
  } catch (error) {
    throw new StartFailure(
      `EVENTSTORE_URL cannot be used: ${error instanceof Error ? error.message : 'unknown error'}`,
    );
  }
}

/** Returns whether they leave TLS on. */
function checkOptions(options: string): boolean {
  const given = new Map(options.split('&').map((option) => named(option)));
  if (given.get('throwOnAppendFailure') === 'false') {
    throw new StartFailure('Remove throwOnAppendFailure=false from EVENTSTORE_URL: conflicts would get lost.');
  }
  if (given.get('tlsVerifyCert') === 'false') {
    throw new StartFailure('Remove tlsVerifyCert=false from EVENTSTORE_URL, name the file of the CA with tlsCAFile.');
  }
  const preference = given.get('nodePreference');
  if (preference !== undefined && preference.toLowerCase() !== 'leader') {
    throw new StartFailure(
      'Remove nodePreference from EVENTSTORE_URL, or make it leader: commands are decided on what is read, and any other node may not have the newest events yet, nor does it run projections.',
    );
  }
  return given.get('tls') !== 'false';
}

/** As the driver reads it: neither case nor dashes and underscores matter in a name. */
function named(option: string): readonly [string, string] {
  const [name = '', value = ''] = option.split('=', 2);
  const known = OPTIONS.find((each) => each.toLowerCase() === name.trim().toLowerCase().replace(/[_-]/g, ''));
  if (known !== undefined) return [known, value.trim()];
  throw new StartFailure(`EVENTSTORE_URL has an unknown option; it may have ${OPTIONS.join(', ')}.`);
}
