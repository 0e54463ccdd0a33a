import { readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { LogFile } from './log-file';

describe('a log file', () => {
  it('is continued by the next process', () => {
    const log = newLog();
    print(log, 'one\n');
    print(log, 'two\n');
    expect(readFileSync(log.path, 'utf8')).toBe('one\ntwo\n');
  });

  it('knows the plain last words of the newest process only', () => {
    const log = newLog();
    print(log, 'API_PORT is "x".\n');
    print(log, '{"level":"info","msg":"starting"}\nPort 3000 is already in use.\n');
    expect(log.lastOutput()).toBe('Port 3000 is already in use.');
  });

  it('knows the newest logged error where nothing was said plainly', () => {
    const log = newLog();
    print(log, '{"level":"error","msg":"first"}\n{"level":"fatal","msg":"second"}\n{"level":"info","msg":"third"}\n');
    expect(log.lastOutput()).toBe('second');
  });

  it('has no last words when nothing was said', () => {
    const log = newLog();
    expect(log.lastOutput()).toBe('');
    print(log, '');
    expect(log.lastOutput()).toBe('');
  });

  it('is cut when it has become long, and keeps the piece before', () => {
    const log = newLog();
    print(log, 'x');
    truncateSync(log.path, 51 * 1024 * 1024);
    print(log, 'new\n');
    expect(readFileSync(log.path, 'utf8')).toBe('new\n');
    expect(statSync(`${log.path}.1`).size).toBe(51 * 1024 * 1024);
  });
});

const newLog = () => new LogFile(temporaryFolder('log'), 'api');
const print = (log: LogFile, text: string) => log.open((descriptor) => writeSync(descriptor, text));
