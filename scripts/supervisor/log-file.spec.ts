import { readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { temporaryFolder } from '../../test/stand-ins/temporary-folder';
import { LogFile } from './log-file';

describe('a log file', () => {
  it('is continued by the next process', () => {
    const log = newLog();
    say(log, 'one\n');
    say(log, 'two\n');
    expect(readFileSync(log.path, 'utf8')).toBe('one\ntwo\n');
  });

  it('knows the plain last words of the newest process only', () => {
    const log = newLog();
    say(log, 'API_PORT is "x".\n');
    say(log, '{"level":"info","msg":"starting"}\nPort 3000 is already in use.\n');
    expect(log.lastWords()).toBe('Port 3000 is already in use.');
  });

  it('knows the newest logged error where nothing was said plainly', () => {
    const log = newLog();
    say(log, '{"level":"error","msg":"first"}\n{"level":"fatal","msg":"second"}\n{"level":"info","msg":"third"}\n');
    expect(log.lastWords()).toBe('second');
  });

  it('has no last words when nothing was said', () => {
    const log = newLog();
    expect(log.lastWords()).toBe('');
    say(log, '');
    expect(log.lastWords()).toBe('');
  });

  it('is cut when it has become long, and keeps the piece before', () => {
    const log = newLog();
    say(log, 'x');
    truncateSync(log.path, 51 * 1024 * 1024);
    say(log, 'new\n');
    expect(readFileSync(log.path, 'utf8')).toBe('new\n');
    expect(statSync(`${log.path}.1`).size).toBe(51 * 1024 * 1024);
  });
});

const newLog = () => new LogFile(temporaryFolder('log'), 'api');
const say = (log: LogFile, text: string) => log.open((descriptor) => writeSync(descriptor, text));
