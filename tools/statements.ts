import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { runScriptCommand, takesNothing } from '../scripts/command';
import { FLOWS } from './statements/flows';

const USAGE = `Usage: npm run statements

Counts the files and TypeScript statements of the product, without blocks, tests and what is generated: by folder, and
by flow.`;

/** This file is compiled to dist/tools. */
const ROOT = dirname(dirname(__dirname));
const FOLDERS = ['apps', 'libs', 'scripts'];
const NOT_COUNTED = /\.(?:spec|d)\.tsx?$|(?:^|\/)(?:node_modules|testing)\/|^libs\/client\/src\/schema\.ts$/;

interface Row {
  readonly of: string;
  readonly files: number;
  readonly statements: number;
}

runScriptCommand(USAGE, (args) => {
  takesNothing(args, USAGE);
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ).filter((path) => /\.tsx?$/.test(path) && !NOT_COUNTED.test(path));
  const folders = [...new Set(files.map(folderOf))].sort();
  print(
    folders.map((folder) =>
      rowOf(
        folder,
        files.filter((path) => folderOf(path) === folder),
      ),
    ),
  );
  print([rowOf('All', files), ...FLOWS.map(({ name, files, declares }) => rowOf(name, [...files, ...declares]))]);
  return Promise.resolve();
});

/** At most four names deep. */
function folderOf(path: string): string {
  return dirname(path).split('/').slice(0, 4).join('/');
}

function rowOf(of: string, files: readonly string[]): Row {
  return { of, files: files.length, statements: files.reduce((sum, path) => sum + statementsOf(path), 0) };
}

function statementsOf(path: string): number {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest);
  let statements = 0;
  const visit = (node: ts.Node) => {
    if (ts.isStatement(node) && !ts.isBlock(node)) statements++;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return statements;
}

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ of }) => of.length));
  for (const { of, files, statements } of rows)
    process.stdout.write(
      `${of.padEnd(width)} ${String(files).padStart(6)} files ${String(statements).padStart(7)} statements\n`,
    );
  process.stdout.write('\n');
}
