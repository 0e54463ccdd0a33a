import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { command, takesNothing } from './command';

describe('a command', () => {
  it('says what it takes instead of running', () => {
    const { run, stdout } = started(['--help']);
    expect(run).not.toHaveBeenCalled();
    expect(stdout).toHaveBeenCalledWith('Usage: npm run x\n');
  });

  it('explains what it throws at once as it does what it throws later', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    started(['word']).run.mock.results.forEach(({ type }) => expect(type).toBe('throw'));
    await Promise.resolve().then(() => undefined);
    expect(stderr).toHaveBeenCalledWith('"word" is nothing this command knows.\n\nUsage: npm run x\n');
    expect(exit).toHaveBeenCalledWith(1);
  });

  it('takes nothing only where nothing is given', () => {
    expect(() => takesNothing([], 'Usage')).not.toThrow();
    expect(() => takesNothing(['x'], 'Usage')).toThrow(StartFailure);
  });
});

function started(args: readonly string[]) {
  const before = process.argv;
  const stdout = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const run = jest.fn((given: readonly string[]): Promise<void> => {
    takesNothing(given, 'Usage: npm run x');
    return Promise.resolve();
  });
  process.argv = ['node', 'x', ...args];
  command('Usage: npm run x', run);
  process.argv = before;
  return { run, stdout };
}

afterEach(() => jest.restoreAllMocks());
