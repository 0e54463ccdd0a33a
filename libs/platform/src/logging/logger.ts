import { writeSync } from 'node:fs';
import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings';
import { StartFailure } from '../config/start-failure';

export type { Logger } from 'pino';

/** A logger that writes JSON lines to stdout, each with the name of its process and without secrets. */
export function createLogger(name: string, level: LogLevel, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: { name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => errorFields(error) },
    hooks: { streamWrite: redact },
  };
  return pino(options, destination);
}

/** Bytes that wait while stdout takes none; further lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024;

/** A disk that is full neither ends a process nor holds up its end: what waits is written with the next line. */
function standardOutput(): DestinationStream {
  let waiting = Buffer.alloc(0);
  return {
    write(line) {
      if (waiting.length < MAX_WAITING) waiting = Buffer.concat([waiting, Buffer.from(line)]);
      try {
        while (waiting.length > 0) waiting = waiting.subarray(writeSync(1, waiting));
      } catch {
        // there is no other place to say it
      }
    },
  };
}

const NAME =
  '(?:proxy-)?authorization|x-api-key|api_?key|(?:set-)?cookie|\\w*(?:password|secret|pepper|token|signing_?key)';

const FIELD = new RegExp(`("(?:${NAME})":\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])`, 'gi');
/** Matches secret fields inside JSON that was logged as text. */
const QUOTED_FIELD = new RegExp(`(\\\\"(?:${NAME})\\\\":\\s*)\\\\"(?:\\\\\\\\\\\\"|(?!\\\\").)*\\\\"`, 'gi');
const SECRET = /\b(svc|oat|ort)_[A-Za-z0-9]{4,}/g;
const CREDENTIAL = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const URL_PASSWORD = /(:\/\/[^\s:@/"\\]*:)[^\s/"\\]+@/g;

/** A log line without secrets, whatever the depth they were logged at; the line stays valid JSON. */
export function redact(line: string): string {
  return line
    .replace(FIELD, '$1"[redacted]"')
    .replace(QUOTED_FIELD, '$1\\"[redacted]\\"')
    .replace(SECRET, '$1_[redacted]')
    .replace(CREDENTIAL, '$1 [redacted]')
    .replace(URL_PASSWORD, '$1[redacted]@');
}

/** An error in a log line. */
interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** A chain of causes is followed this far. */
const DEEPEST = 8;

/**
 * An error as it may be logged. TRICKY: whatever else an error carries stays out, because those of databases carry the
 * statement and the values it was given, salts among them.
 */
function errorFields(error: unknown, depth = 0): ErrorFields | string {
  if (!isError(error)) return typeof error === 'string' ? error : `not an error but ${typeof error}`;
  const { message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.constructor.name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause === undefined || depth >= DEEPEST ? {} : { cause: errorFields(cause, depth + 1) }),
  };
}

/** Returns whether it is an error, also one of another realm, which are no instances of our Error. */
const isError = (error: unknown): error is Error => error instanceof Error || types.isNativeError(error);

/** Nest's start-up messages about its own wiring are logged at debug. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Writes Nest's messages to our log: `NestFactory.create(AppModule, adapter, { logger: new NestLogger(logger) })`. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(typeof context === 'string' && WIRING.has(context) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest calls with (message, …more, context); an error may have its stack before the context. */
  private write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', message: unknown, rest: unknown[]) {
    if (message instanceof StartFailure) return; // the process ends with its sentence
    const context = rest.length > 0 && typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
    const more = (context === undefined ? rest : rest.slice(0, -1))
      .filter((each) => each !== undefined)
      .map((each) => (isError(each) ? errorFields(each) : each));
    const fields = { ...(context === undefined ? {} : { context }), ...(more.length > 0 ? { more } : {}) };
    if (isError(message)) this.logger[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'string') this.logger[level](fields, message);
    else this.logger[level]({ ...fields, data: message }, '');
  }
}
