import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { anchorsOf, documentAt, documents, linksOf, root, targetsOf, wordsIn } from './documents';

/** Written by `npm run prove` and by errors.spec. */
const GENERATED = ['docs/reliability.md', 'docs/errors.md', 'docs/messages.md'];

const SOURCES = globSync(['{apps,libs,scripts,tools,test}/**/*.{ts,tsx}'], {
  cwd: root,
  ignore: ['**/node_modules/**'],
});

describe.each(documents().map((document) => [document.path, document] as const))('%s', (_, document) => {
  it('links to files and headings that exist', () => {
    const files = linksOf(document).filter((path) => !existsSync(join(root, path)));
    const headings = targetsOf(document).filter(
      ({ file, heading }) => heading && !files.includes(file) && !anchorsOf(documentAt(file)).includes(heading),
    );
    expect({ files, headings }).toEqual({ files: [], headings: [] });
  });

  it('names files and folders of the repository that exist', () => {
    const paths = [...document.text.matchAll(/`((?:apps|libs|scripts|tools|test|docker)\/[\w./-]+)`/g)].map(
      ([, path]) => path!,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.ts`)))).toEqual([]);
  });

  it('names sources that exist, also those that it names without their folder', () => {
    const paths = [...document.text.matchAll(/`([\w-][\w./-]*\.tsx?)`/g)].map(([, path]) => path!);
    expect(paths.filter((path) => !SOURCES.some((source) => `/${source}`.endsWith(`/${path}`)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const names = [...document.text.matchAll(/npm run (?:--silent )?([a-z-]+)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('is one click from the README, or two', () => {
    const from = (path: string) => (path.endsWith('.md') ? linksOf(documentAt(path)) : []);
    const first = ['README.md', ...from('README.md')];
    expect([...first, ...first.flatMap(from)]).toContain(document.path);
  });
});

describe('the documents that people write', () => {
  it('have at most 30,000 words', () => {
    const written = documents().filter(({ path }) => !GENERATED.includes(path));
    const words = written.reduce((sum, { text }) => sum + wordsIn(text), 0);
    expect(words).toBeLessThanOrEqual(30_000);
  });
});

describe('the README', () => {
  it('shows the commands that CI runs', () => {
    const commands = readFileSync(join(root, '.ci', 'run'), 'utf8').match(/^npm [a-z:]+( [a-z:]+)?/gm) ?? [];
    expect(commands).toEqual(['npm ci', 'npm test', 'npm run test:engines']);
    for (const command of commands) expect(documentAt('README.md').text).toContain(command);
  });
});
