import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentAt, documents, linksOf, root } from './documents';

describe.each(documents().map((document) => [document.path, document] as const))('%s', (_, document) => {
  it('links to files that exist', () => {
    expect(linksOf(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names files and folders of the repository that exist', () => {
    const paths = [...document.text.matchAll(/`((?:apps|libs|scripts|tools|test|docker)\/[\w./-]+)`/g)].map(
      ([, path]) => path!,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const names = [...document.text.matchAll(/npm run (?:--silent )?([a-z-]+)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the index of decisions', () => {
  it('lists every decision once', () => {
    const folder = join('docs', 'decisions');
    const decisions = readdirSync(join(root, folder)).filter((name) => /^\d{4}-.*\.md$/.test(name));
    const listed = linksOf(documentAt(join(folder, 'README.md')));
    expect(listed.sort()).toEqual(decisions.map((name) => join(folder, name)).sort());
  });
});

describe('the README', () => {
  it('shows the commands that CI runs', () => {
    const commands = readFileSync(join(root, '.ci', 'run'), 'utf8').match(/^npm [a-z:]+( [a-z:]+)?/gm) ?? [];
    expect(commands).toEqual(['npm ci', 'npm test', 'npm run test:engines']);
    for (const command of commands) expect(documentAt('README.md').text).toContain(command);
  });
});
