import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings';
import { errorFields } from './error-fields';
import { redact } from './redact';

export type { Logger } from 'pino';

/** A logger that writes JSON lines to stdout, each with the name of its process and without secrets. */
export function createLogger(
  name: string,
  level: LogLevel,
  destination: DestinationStream = pino.destination(1),
): Logger {
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
