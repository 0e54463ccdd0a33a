import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../journeys/product';

const COPIED = ['apps', 'libs', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** By file: what is replaced, and by what. */
type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** A column of sessions, a count, a table of links, and a migration that only adds. */
const NEXT: Changes = {
  'libs/contracts/src/read-models/sessions.ts': ["kind: last('smallint')", "kind: last('integer')"],
  'libs/contracts/src/aggregates/aggregate.ts': ['bins: GAMMA,', 'bins: GAMMA, linkDomain: 2,'],
  'libs/contracts/src/read-models/links.ts': [
    "linkCities = linkDimension('link_cities')",
    "linkCities = meaning(linkDimension('link_cities'), 1_000)",
  ],
  'libs/platform/src/database/migrations/1764000001298-sealing-progress.ts': [
    'export class ',
    `export class Next9999999999999 extends SqlMigration {
      protected readonly statements = 'alter table processes add column next text';
    }
    export class `,
  ],
  'libs/platform/src/database/migrate.ts': [
    'SealingProgress1764000001298 }',
    'Next9999999999999, SealingProgress1764000001298 }',
  ],
};

/** The next version: a copy of the build under test with these changes, compiled. */
export function buildNext() {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-next-'));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, [before, after]] of Object.entries(NEXT)) change(join(folder, file), before, after);
  change(join(folder, 'libs/platform/src/database/migrate.ts'), '\n];', '\n  Next9999999999999,\n];');
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/build.cjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The next version does not compile:\n${stderr}`);
  return { dist: join(folder, 'dist'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function change(file: string, before: string, after: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${file} has no "${before}" any more.`);
  writeFileSync(file, text.replace(before, after));
}
