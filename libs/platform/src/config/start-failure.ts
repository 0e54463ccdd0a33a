import { types } from 'node:util';

/** An expected reason why a process cannot start; the message is one clear sentence (or a list of them) for people. */
export class StartFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartFailure';
  }
}

/** The reason is a store that is not reached: it may be there a moment later, and what can serve without it waits. */
export class StoreUnreachable extends StartFailure {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreAway';
  }
}

/**
 * Runs a process's start. An expected failure (bad settings, busy port, unreachable database) becomes a clear sentence
 * on stderr, anything else its stack; both end the process with exit code 1.
 */
export function startOrExplain(main: () => Promise<unknown>): void {
  main().catch((error: unknown) => {
    process.stderr.write(`${explain(error) ?? stackOf(error)}\n`);
    process.exit(1);
  });
}

/** The code of an error of the system, such as `ENOENT`; undefined for other errors. */
export const systemErrorCode = (error: unknown): string | undefined =>
  types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export const errorMessage = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));

/** After its reason was logged. */
export const endProcess = (): void => process.exit(1);

/** The sentence for an expected failure, or undefined where the failure is not an expected one. */
export function explain(error: unknown): string | undefined {
  if (error instanceof StartFailure) return error.message;
  if (!isNativeError(error)) return undefined;
  const { code, port, address, syscall, path, errors = [] } = error;
  if (syscall === 'open' && path !== undefined) return `The file ${path} cannot be read (${code ?? ''}).`;
  if (syscall === 'listen') return explainListen(code, port, address);
  if (code === UNDEFINED_TABLE) return 'The tables of the database are missing; run "npm run migrate" first.';
  const reason = reasonOf(error);
  if (reason) return `The database cannot be used (${reason}); check DATABASE_URL and that the server is running.`;
  return [...errors, error.cause].map(explain).find((sentence) => sentence !== undefined);
}

/** Why a database cannot be used; undefined for other failures. */
export function reasonOf(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  const { code = '' } = error;
  if (CERTIFICATE.test(code)) return `its certificate is not trusted: ${code}`;
  if (MESSAGES.has(code)) return error.message;
  return DATABASE_FAILURES[code] ?? CLIENT_FAILURES.find(([message]) => message.test(error.message))?.[1];
}

const isNativeError = (error: unknown): error is Error & Details => types.isNativeError(error);

interface Details {
  readonly code?: string;
  readonly syscall?: string;
  readonly port?: number;
  readonly address?: string;
  readonly path?: string;
  readonly errors?: readonly unknown[];
}

/** Failures of the driver, which gives them no code. */
const CLIENT_FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^(timeout expired|Connection terminated( unexpectedly| due to connection timeout)?)$/, 'no answer'],
  [/^The server does not support SSL connections$/, 'it does not offer TLS, which sslmode asks for'],
];

/** Error codes of Node's TLS. */
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/;

/** Codes with which the server or a pooler refuses for a reason that only its message names, without data of rows. */
const MESSAGES: ReadonlySet<string> = new Set(['08P01', '42501']);

const UNDEFINED_TABLE = '42P01';

const DATABASE_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'host unreachable',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  '28P01': 'wrong user or password',
  '28000': 'not allowed to connect',
  '3D000': 'there is no such database',
  '3F000': 'search_path names no schema to create tables in',
  '25006': 'it is read-only, as a standby is',
  '53100': 'its disk is full',
  '53300': 'too many connections',
  '57P01': 'it is shutting down',
  '57P03': 'it is starting up or shutting down',
};

function explainListen(code: string | undefined, port: number | undefined, address = ''): string | undefined {
  const place = `Port ${port ?? '?'}`;
  const other = 'choose another with API_PORT or TRACKER_PORT';
  if (code === 'EADDRINUSE') return `${place} is already in use; stop what uses it or ${other}.`;
  if (code === 'EACCES') return `${place} may not be opened by this user; ${other}.`;
  if (code === 'EADDRNOTAVAIL') return `The address ${address} is not one of this machine; check LISTEN_ADDRESS.`;
  return undefined;
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
