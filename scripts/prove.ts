import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The long runs of tests that are short in `npm test`; each may be lengthened or shortened by its variable. */
const MATRICES: readonly (readonly [path: string, variables: Readonly<Record<string, string>>])[] = [
  ['test/oracle', { ORACLE_RUNS: '1000' }],
  ['test/reliability', { RELIABILITY_KILLS: '100', RELIABILITY_MALFORMED: '10000', RELIABILITY_VISITORS: '400' }],
];

const jest = join('node_modules', 'jest', 'bin', 'jest.js');

for (const [path, variables] of MATRICES) {
  const args = [jest, path, '--runInBand', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { env: { ...variables, ...process.env }, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
