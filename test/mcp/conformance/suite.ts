import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SUITE = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js');

export interface SuiteRun {
  readonly code: number;
  readonly output: string;
}

/** Runs what a revision requires against a server, in a process of its own. It fails for what the list of failures has not. */
export async function runSuite(url: string, revision: string): Promise<SuiteRun> {
  const cwd = await mkdtemp(join(tmpdir(), 'ledgerline-conformance-')); // it writes its results there
  const baseline = join(__dirname, `expected-failures-${revision}.yml`);
  const options = ['--url', `${url}/v1/mcp`, '--requirements', revision, '--expected-failures', baseline];
  const args = ['--import', join(__dirname, 'node-20.mjs'), SUITE, 'server', ...options];
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      });
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}
