import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { root } from './documents';

const FOLDERS = '{apps,libs,scripts,tools,test}';
const PROGRAMS = globSync([`${FOLDERS}/**/*.{ts,tsx,cjs,mjs}`], { cwd: root, ignore: ['**/node_modules/**'] });
const OTHERS = globSync([`${FOLDERS}/**/*.{json,css,html,sql,sh}`, 'docker/**', '*.json', '.*.json'], {
  cwd: root,
  ignore: ['**/node_modules/**', 'package-lock.json'],
});
const COMMENT = /(?<=^|\s)(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm;

/** Examples of what a name becomes, and of what an address holds. */
const EXAMPLES = ['TopPages', 'dropped-2'];

const texts = new Map(PROGRAMS.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const known = new Set([...EXAMPLES, ...names()]);

describe('the comments', () => {
  it('name with backticks and {@link} only what the code has', () => {
    expect(found(/\{@link (\w+)|`([\w$]*(?:[a-z][A-Z]|_)[\w$]*)(?:\(\))?`|`([a-z]+(?:-[a-z0-9]+)+)`/g)).toEqual([]);
  });

  it('name only files that exist', () => {
    const files = PROGRAMS.map((file) => `/${file}`);
    const wrong = found(/(?<![\w*.])([a-z][\w-]*(?:[./][\w-]+)*\.tsx?)\b/g);
    expect(wrong.filter((text) => !files.some((file) => file.endsWith(`/${text.split(' ')[1]}`)))).toEqual([]);
  });
});

/** @returns the words of the code without its comments, and the names of files and folders */
function* names(): Iterable<string> {
  const code = [...texts.values()].map((text) => text.replace(COMMENT, ' '));
  const data = OTHERS.map((file) => readFileSync(join(root, file), 'utf8'));
  for (const text of [...code, ...data])
    for (const word of text.match(/[\w$-]+/g) ?? []) yield* [word, ...word.split('-')];
  for (const file of [...PROGRAMS, ...OTHERS]) yield* [...file.split('/'), basename(file).replace(/\..*$/, '')];
}

/** @returns the names that a pattern finds in comments and that are not known, each behind the file that has it */
function found(pattern: RegExp): string[] {
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(COMMENT)].flatMap(([comment]) =>
      [...comment.matchAll(pattern)]
        .map((match) => match.slice(1).find(Boolean) ?? '')
        .filter((name) => !known.has(name))
        .map((name) => `${file} ${name}`),
    ),
  );
}
