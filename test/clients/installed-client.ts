import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../docs/documents';

const run = promisify(execFile);

/** A project with nothing but the client's package, as a user has it. */
export interface ClientProject {
  /** The manifest of the installed package. */
  readonly manifest: { readonly dependencies: Readonly<Record<string, string>> };
  /** The diagnostics of the compiler, which are empty of a right program. */
  compile(program: string): Promise<string>;
  /** Returns what the compiled program prints. */
  run(): Promise<string>;
}

/** The packages of the client and its dependencies, which come out of node_modules instead of a registry. */
const PACKED = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name));

/** Packs the client, and installs it into an empty folder. */
export async function installClient(folder: string): Promise<ClientProject> {
  await run(process.execPath, [join(root, 'scripts', 'pack-client.cjs')]);
  const packed = await npm(folder, 'pack', ...PACKED);
  const packages = [join(root, 'dist', 'ledgerline-client-1.0.0.tgz'), ...packed.trim().split('\n')];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npm(
    folder,
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    ...packages.map((file) => resolve(folder, file)),
  );
  const installed = join(folder, 'node_modules', '@ledgerline', 'client', 'package.json');
  return {
    manifest: JSON.parse(readFileSync(installed, 'utf8')) as ClientProject['manifest'],
    compile(program) {
      writeFileSync(join(folder, 'program.ts'), program);
      return diagnosticsIn(folder);
    },
    run: async () => (await run(process.execPath, ['program.js'], { cwd: folder })).stdout,
  };
}

const npm = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> =>
  (await run('npm', [command, '--silent', '--ignore-scripts', ...args], { cwd })).stdout;

const COMPILER = join(root, 'node_modules', 'typescript7', 'bin', 'tsc');
const OPTIONS = ['--module', 'nodenext', '--strict', '--noUncheckedIndexedAccess', '--types', ''];

/** Libraries are checked too. */
async function diagnosticsIn(cwd: string): Promise<string> {
  try {
    return (await run(process.execPath, [COMPILER, ...OPTIONS, 'program.ts'], { cwd })).stdout;
  } catch (failed) {
    return (failed as { readonly stdout: string }).stdout;
  }
}
