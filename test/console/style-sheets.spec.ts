import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../journeys/product';

const SOURCES = join(root, 'apps/console/src');

/** The classes that a sheet says something about by themselves, wherever they are; not those that only others are nested in. */
const classesIn = (sheet: string): string[] => [
  ...new Set(
    [...readFileSync(join(SOURCES, sheet), 'utf8').matchAll(/^\.([a-z-]+)(?=,| \{\s+[a-z-]+:)/gm)].map(
      ([, name]) => name!,
    ),
  ),
];

it('no two style sheets of the console say what the same class looks like, as all are in every page', () => {
  const sheets = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));
  const owners = new Map<string, string[]>();
  for (const sheet of sheets)
    for (const name of classesIn(sheet)) owners.set(name, [...(owners.get(name) ?? []), sheet]);
  expect(owners.size).toBeGreaterThan(50);
  expect([...owners].filter(([, found]) => found.length > 1)).toEqual([]);
});
