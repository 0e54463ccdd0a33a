import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings';
import { errorFields } from './error-fields';
import { redact } from './redact';

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
