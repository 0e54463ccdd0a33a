import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { QueryFailedError } from 'typeorm';
import { StartFailure } from '../config/start-failure';
import { createLogger, NestLogger, redact } from './logger';

describe('the log', () => {
  it('is JSON lines with the name of the process', () => {
    const { logger, lines } = recorded();
    logger.info({ port: 3000 }, 'listening');
    expect(lines()).toMatchObject([{ level: 'info', name: 'api', msg: 'listening', port: 3000 }]);
  });

  (existsSync('/dev/full') ? it : it.skip)('ends no process when the disk is full', () => {
    const script = `const { createLogger } = require(${JSON.stringify(resolve('dist/libs/platform/src/logging/logger.js'))});
      createLogger('api', 'info').info('lost'); setTimeout(() => console.error('alive'), 50)`;
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: 'alive\n' });
  });

  it('holds no secrets', () => {
    const { logger, text } = recorded();
    const headers = { authorization: 'Bearer svc_abcdefgh', 'x-api-key': 'svc_abcdefgh' };
    logger.warn({ req: { headers }, err: new Error('bad key svc_abcdefgh') }, 'refused svc_abcdefgh');
    expect(text()).not.toContain('abcdefgh');
  });

  it('keeps of an error what it is, and nothing of what a statement was given', () => {
    const { logger, lines, text } = recorded();
    const refusal = Object.assign(new Error('refused'), { code: '23505', detail: 'Key (salt)=(raw-salt) exists' });
    const failure = new QueryFailedError('insert into salts', ['raw-salt', Buffer.from('raw')], refusal);
    logger.error({ err: new Error('no salt', { cause: failure }) }, 'failed');
    logger.error(failure);
    new NestLogger(logger).error('failed', failure, 'Salts');
    expect(lines()[0]).toMatchObject({
      err: {
        type: 'Error',
        message: 'no salt',
        cause: { type: 'QueryFailedError', message: 'refused', code: '23505' },
      },
    });
    expect(text()).not.toMatch(/raw-salt|insert into|driverError|parameters|detail|"data"/);
  });

  it('leaves out why a process cannot start, which it ends with', () => {
    const { logger, lines } = recorded();
    new NestLogger(logger).error(new StartFailure('Kafka is too old.'), 'ExceptionHandler');
    new NestLogger(logger).error(new Error('a bug'), 'ExceptionHandler');
    expect(lines()).toMatchObject([{ level: 'error', msg: 'a bug' }]);
  });

  it('ends where errors are the causes of each other', () => {
    const { logger, lines } = recorded();
    const one = new Error('one');
    one.cause = new Error('other', { cause: one });
    logger.error({ err: one }, 'failed');
    expect(lines()).toMatchObject([{ err: { message: 'one', cause: { message: 'other' } } }]);
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = recorded();
    logger.debug('detail');
    expect(lines()).toEqual([]);
  });
});

describe('the log of Nest', () => {
  it('keeps the context, the stack and the level', () => {
    const { logger, lines } = recorded();
    const nest = new NestLogger(logger);
    nest.log('started', 'Intake');
    nest.error('failed', 'Error: failed\n at x', 'Intake');
    nest.warn(new Error('odd'));
    expect(lines()).toMatchObject([
      { level: 'info', context: 'Intake', msg: 'started' },
      { level: 'error', context: 'Intake', msg: 'failed', more: ['Error: failed\n at x'] },
      { level: 'warn', msg: 'odd', err: { message: 'odd' } },
    ]);
  });

  it('logs Nest’s messages about its wiring at debug', () => {
    const { logger, lines } = recorded();
    new NestLogger(logger).log('Mapped {/health, GET} route', 'RouterExplorer');
    expect(lines()).toEqual([]);
  });
});

function recorded() {
  const written: string[] = [];
  const logger = createLogger('api', 'info', { write: (line: string) => void written.push(line) });
  const text = () => written.join('');
  return { logger, text, lines: () => written.map((line): unknown => JSON.parse(line)) };
}

const API_KEY = `svc_${'a1B2'.repeat(12)}`;

describe('a log line', () => {
  it.each(['authorization', 'x-api-key', 'Cookie', 'password', 'secret', 'authSecret', 'AUTH_SECRET', 'keyPepper'])(
    'hides the field %s at any depth',
    (name) => {
      const line = JSON.stringify({ a: { b: [{ [name]: 'top "quoted" thing', kept: 'yes' }] } });
      const redacted: unknown = JSON.parse(redact(line));
      expect(redacted).toEqual({ a: { b: [{ [name]: '[redacted]', kept: 'yes' }] } });
    },
  );

  it('hides lists of cookies', () => {
    const line = JSON.stringify({ 'set-cookie': ['a=1', 'b=2'], kept: [1] });
    expect(JSON.parse(redact(line))).toEqual({ 'set-cookie': '[redacted]', kept: [1] });
  });

  it('hides fields inside JSON that was logged as text', () => {
    const body = JSON.stringify({ password: 'say "hello"', name: 'x' });
    const { msg } = JSON.parse(redact(JSON.stringify({ msg: `body ${body}` }))) as { msg: string };
    expect(msg).toBe('body {"password":"[redacted]","name":"x"}');
  });

  it('hides API keys and credentials inside any text', () => {
    const line = JSON.stringify({ msg: `refused ${API_KEY}, header was Bearer abcdefgh12345` });
    expect(redact(line)).toBe('{"msg":"refused svc_[redacted], header was Bearer [redacted]"}');
  });

  it('hides passwords of connection strings', () => {
    expect(redact('"postgres://me:p@ss-word@localhost:5432/db"')).not.toContain('word');
    expect(redact('"http://localhost:3000/a:b@c"')).toBe('"http://localhost:3000/a:b@c"');
  });

  it('is otherwise left as it is', () => {
    const line = JSON.stringify({ msg: 'a "quoted" secret of svc_ and tokens', start: 'svc_', n: 1 });
    expect(redact(line)).toBe(line);
  });
});
