import { NestLogger } from './nest-logger';
import { createLogger } from './logger';

describe('the log', () => {
  it('is JSON lines with the name of the process', () => {
    const { logger, lines } = recorded();
    logger.info({ port: 3000 }, 'listening');
    expect(lines()).toMatchObject([{ level: 'info', name: 'api', msg: 'listening', port: 3000 }]);
  });

  it('holds no secrets', () => {
    const { logger, text } = recorded();
    const headers = { authorization: 'Bearer svc_abcdefgh', 'x-api-key': 'svc_abcdefgh' };
    logger.warn({ req: { headers }, err: new Error('bad key svc_abcdefgh') }, 'refused svc_abcdefgh');
    expect(text()).not.toContain('abcdefgh');
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

  it('treats what Nest says about its wiring as detail', () => {
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
