import { LogTampered } from '@ledgerline/platform/log/log-reader';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { StopLog } from './run-partition';

describe('the log of a stopped partition', () => {
  it('has one line for each reason, and one when the partition goes on', () => {
    const log = new StopLog(createLogger('projector', 'info', { write: (line) => void lines.push(line) }));
    log.resumed();
    for (const why of ['a', 'a', 'b', 'b']) log.stopped(why, new LogTampered(why));
    for (let n = 0; n < 2; n++) log.resumed();
    log.stopped('b', new LogTampered('b'));
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'stopped: a',
      'stopped: b',
      'no longer stopped',
      'stopped: b',
    ]);
  });

  it('has a stack for errors of the program only', () => {
    const log = new StopLog(createLogger('projector', 'info', { write: (line) => void lines.push(line) }));
    log.stopped('a', new LogTampered('a'));
    log.stopped('b', new TypeError('b'));
    expect(lines.map((line) => line.includes('stack'))).toEqual([false, true]);
  });

  let lines: string[];
  beforeEach(() => (lines = []));
});
