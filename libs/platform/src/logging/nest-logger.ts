import type { LoggerService } from '@nestjs/common';
import { StartFailure } from '../config/start-failure';
import { errorFields, isError } from './error-fields';
import type { Logger } from './logger';

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
