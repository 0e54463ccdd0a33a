import { described, matricesFor } from './matrices';

describe('the long runs', () => {
  it('have the documented sizes', () => {
    expect(matricesFor({}).map(described)).toEqual([
      'test/oracle (ORACLE_RUNS=1000)',
      'test/browser (BROWSER_SCREENS=4, BROWSER_CLOCKS=8)',
      'test/docker (IMAGES_NPM_CI=1)',
      'test/journeys/restored-backup (BACKUP_KILLS=20)',
      'test/query/executors-agree (EXECUTOR_RUNS=100)',
      'test/reliability (RELIABILITY_KILLS=100, RELIABILITY_SENDER_KILLS=20, RELIABILITY_MALFORMED=10000, RELIABILITY_VISITORS=400, RELIABILITY_OUTAGE_MS=60000, RELIABILITY_CUTS=20, RELIABILITY_CHANGES=5, RELIABILITY_FAULTS=1)',
      'apps/projector/src/projections/websites/websites-group (PROJECTION_RUNS=500)',
      'apps/projector/src/runner/parking (PARKING_RUNS=100)',
      '(test/(openapi|query)|apps/projector/src)/ (RANDOM_RUNS=3)',
      'test/(intake-log/)?kafka/ (KAFKA_KILLS=10, KAFKA_COPIERS=30)',
    ]);
  });

  it('take their sizes from variables', () => {
    expect(matricesFor({ ORACLE_RUNS: '3' })[0]?.sizes).toEqual({ ORACLE_RUNS: '3' });
  });

  it.each(['', '0', 'many', '-1', '1e3'])('refuse %p, which would prove nothing', (size) => {
    expect(() => matricesFor({ RELIABILITY_KILLS: size })).toThrow('RELIABILITY_KILLS');
  });
});
