import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { runScriptCommand, takesNothing } from './command';

describe('a command', () => {
  it('prints its usage for --help instead of running', () => {
    const { run, stdout } = started(['--help']);
    expect(run).not.toHaveBeenCalled();
    expect(stdout).toHaveBeenCalledWith('Usage: npm run x\n');
  });

  it('explains a synchronous failure like an asynchronous one', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    started(['word']).run.mock.results.forEach(({ type }) => expect(type).toBe('throw'));
    await Promise.resolve().then(() => undefined);
    expect(stderr).toHaveBeenCalledWith('This command takes no arguments, but got "word".\n\nUsage: npm run x\n');
    expect(exit).toHaveBeenCalledWith(1);
  });

  it('without arguments rejects arguments', () => {
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
  runScriptCommand('Usage: npm run x', run);
  process.argv = before;
  return { run, stdout };
}

afterEach(() => jest.restoreAllMocks());
