import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './documents';

/** The files of the repository that these import. */
export const importedBy = (files: readonly string[]): readonly string[] =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^import [^;]+? from '([^']+)';/gm)].flatMap(
      ([, specifier = '']) => fileOf(specifier, file) ?? [],
    ),
  );

/** Undefined for a package. */
function fileOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return `${join(dirname(from), specifier)}.ts`;
  const [, library, path] = /^@ledgerline\/(\w+)\/(.+)$/.exec(specifier) ?? [];
  return library === undefined ? undefined : `libs/${library}/src/${path}.ts`;
}
