import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { transformSync } from 'esbuild';

/** Small programs in a folder that stand in for the apps in specs, with a diary that they and the spec `note` in. */
export interface TestPrograms {
  readonly folder: string;
  /** Its source may `note(line)` too, and ask whether one is `noted(line)`. */
  program(name: string, source: string): string;
  note(line: string): void;
  diary(): string[];
}

export function testPrograms(folder: string): TestPrograms {
  const diary = join(folder, 'diary');
  writeFileSync(diary, '');
  return {
    folder,
    program: (name, source) => {
      const file = join(folder, `${name}.cjs`);
      writeFileSync(file, writingIn(diary) + source);
      return file;
    },
    note: (line) => appendFileSync(diary, `${line}\n`),
    diary: () => readFileSync(diary, 'utf8').split('\n').filter(Boolean),
  };
}

const writingIn = (diary: string) => `
  const diary = ${JSON.stringify(diary)};
  const note = (line) => require('node:fs').appendFileSync(diary, line + '\\n');
  const noted = (line) => require('node:fs').readFileSync(diary, 'utf8').split('\\n').includes(line);
`;

/** An app that answers /health on a port and notes when it starts and drains. */
export const answering = (name: string, port: number) => `
  const server = require('node:http').createServer((_, response) => response.end('{"status":"ok"}'));
  server.listen(${port}, '127.0.0.1', () => note('${name} starts'));
  process.once('SIGTERM', () => setTimeout(() => { note('${name} drained'); server.close(); server.closeAllConnections(); }, 50));
`;

/** An app without a port. */
export const working = (name: string) => `
  const work = setInterval(() => undefined, 1000);
  process.once('SIGTERM', () => { note('${name} drained'); clearInterval(work); });
  note('${name} starts');
  process.send?.('ready');
`;

/** The compiled form of a program of the supervisor, as jest does not compile what another process runs. */
export function compiled(folder: string, source: string): string {
  const typescript = readFileSync(join(__dirname, '..', '..', source), 'utf8');
  const file = join(folder, basename(source).replace(/\.ts$/, '.cjs'));
  writeFileSync(file, transformSync(typescript, { loader: 'ts', format: 'cjs' }).code);
  return file;
}
