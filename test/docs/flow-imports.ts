import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './documents';

/** What a file imports of the repository: the file, and the names of it. */
interface Import {
  readonly file: string;
  readonly names: string;
}

/** The files of a flow that none of those before them leads to: by an import, or by a port that the file implements. */
export function unreached([entry = '', ...files]: readonly string[]): string[] {
  const before = [entry];
  return files.filter((file) => {
    const isReached = importsOf(before).some(
      (imported) => imported.file === file || portsOf(file).includes(imported.file),
    );
    before.push(file);
    return !isReached;
  });
}

const importsOf = (files: readonly string[]): Import[] => files.flatMap(importsIn);

/** The files that declare what a class in this file implements. */
function portsOf(path: string): string[] {
  const ports = [...textOf(path).matchAll(/\bclass \w+ implements (\w+)/g)].map(([, name]) => name!);
  return importsIn(path)
    .filter(({ names }) => ports.some((port) => new RegExp(`\\b${port}\\b`).test(names)))
    .map(({ file }) => file);
}

function importsIn(path: string): Import[] {
  return [...textOf(path).matchAll(/^import ([^;]+?) from '([^']+)';/gm)].flatMap(([, names, specifier]) => {
    const file = fileOf(specifier!, path);
    return file === undefined ? [] : [{ file, names: names! }];
  });
}

/** Undefined for a package. */
function fileOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return `${join(dirname(from), specifier)}.ts`;
  const [, library, path] = /^@ledgerline\/(\w+)\/(.+)$/.exec(specifier) ?? [];
  return library === undefined ? undefined : `libs/${library}/src/${path}.ts`;
}

const textOf = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
