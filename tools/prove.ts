import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { runScriptCommand } from '../scripts/command';
import { described, matricesFor, type Matrix } from './prove/matrices';

const USAGE = `Usage: npm run prove [-- OPTIONS OF JEST]

Runs the long versions of the tests, one after the other, which takes hours. Environment variables set their sizes:
${matricesFor({})
  .map((matrix) => `  ${described(matrix)}`)
  .join('\n')}`;

/** The root of the repository: this file is compiled to dist/tools. */
const root = dirname(dirname(__dirname));
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

runScriptCommand(USAGE, (options) => Promise.resolve().then(() => prove(options)));

function prove(options: readonly string[]): void {
  const told = matricesFor(process.env).map((matrix) => `${run(matrix, options)}: ${described(matrix)}`);
  process.stdout.write(`\n${told.join('\n')}\n`);
}

function run(matrix: Matrix, options: readonly string[]): string {
  process.stdout.write(`\n${described(matrix)}\n`);
  const startedAt = performance.now();
  const args = [jest, matrix.path, '--runInBand', ...options];
  const env = { ...process.env, ...matrix.sizes };
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const took = `after ${Math.round((performance.now() - startedAt) / 1000)} s`;
  if (status === 0) return `passed ${took}`;
  process.exitCode = 1;
  return `FAILED ${took} (${error?.message ?? signal ?? `exit ${status ?? '?'}`})`;
}
