import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SUITE = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js');

interface SuiteRun {
  readonly code: number;
  readonly output: string;
}

/** Runs what a revision requires against a server. It fails for what the list of failures has not. */
export function runSuite(url: string, revision: string): Promise<SuiteRun> {
  const baseline = join(__dirname, `expected-failures-${revision}.yml`);
  const options = ['--url', `${url}/v1/mcp`, '--requirements', revision, '--expected-failures', baseline];
  return run('server', options);
}

/** Runs all scenarios for authorization servers; `show` gets what the suite prints, as it asks for a browser to be opened. */
export function runAuthorizationSuite(options: readonly string[], show: (output: string) => void): Promise<SuiteRun> {
  return run('authorization', options, show);
}

/** In a process of its own. */
async function run(command: string, options: readonly string[], show?: (output: string) => void): Promise<SuiteRun> {
  const cwd = await mkdtemp(join(tmpdir(), 'ledgerline-conformance-')); // it writes its results there
  const args = ['--import', join(__dirname, 'node-20.mjs'), SUITE, command, ...options];
  try {
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      });
      if (show) child.stdout?.on('data', (output) => show(String(output)));
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}
