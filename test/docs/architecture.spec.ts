import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { FLOWS, READ_ONCE } from '../../tools/statements/flows';
import type * as Flows from '../flows/flows';
import { documentAt, root, sectionOf, wordsIn } from './documents';
import { importedBy } from './imports';

/** Under the load of a whole test run three apps start slowly. */
jest.setTimeout(300_000);

/** The number of files a flow has; one that is spared is taken off here, too. */
const BUDGETS = { Request: 16, Question: 38, Count: 50, Command: 21, Click: 26, Hit: 28, Fact: 39 };
const READ_ONCE_BUDGET = 26;

const { text } = documentAt('ARCHITECTURE.md');
const filesOfRequest = FLOWS[0]?.files ?? [];

/** The flows of the api, around which the files of Request are. */
const OF_API = ['Question', 'Count', 'Command'];

describe('the files of every flow', () => {
  it('are listed once, within its budget', () => {
    expect(FLOWS.map(({ name }) => name)).toEqual(Object.keys(BUDGETS));
    for (const { name, files, declares } of FLOWS) {
      const all = [...files, ...declares];
      expect({ name, twice: all.filter((file, at) => all.indexOf(file) < at) }).toEqual({ name, twice: [] });
      expect({ name, files: all.length }).toEqual({ name, files: BUDGETS[name as keyof typeof BUDGETS] });
    }
    expect(READ_ONCE.length).toBeLessThanOrEqual(READ_ONCE_BUDGET);
  });

  it('import the declarations that are listed', () => {
    for (const { name, files, declares } of FLOWS)
      expect({ name, unused: declares.filter((file) => !importedBy(files).includes(file)) }).toEqual({
        name,
        unused: [],
      });
  });

  describe('are those that it reaches', () => {
    let reached: Readonly<Record<string, readonly string[]>>;
    beforeAll(async () => {
      const { loadObserved } = createRequire(__filename)('../jest/reached-files.cjs') as Loader;
      const { helper, observer, unload } = loadObserved(require.resolve('../flows/flows'));
      reached = await helper.filesOfFlows(observer).finally(unload);
    });

    it.each(FLOWS.slice(1))('$name', ({ name, files }) => {
      const around = OF_API.includes(name) ? filesOfRequest : [];
      const found = reached[name] ?? [];
      expect({
        reachedButNotListed: found.filter((file) => ![...files, ...around, ...READ_ONCE].includes(file)),
        listedButNotReached: [...files, ...around].filter((file) => !found.includes(file)),
      }).toEqual({ reachedButNotListed: [], listedButNotReached: [] });
    });

    it('and none is read once that no flow reaches', () => {
      const all = new Set(Object.values(reached).flat());
      expect(READ_ONCE.filter((file) => !all.has(file))).toEqual([]);
    });
  });
});

describe('ARCHITECTURE.md', () => {
  it('has no more than 2,500 words', () => {
    expect(wordsIn(text)).toBeLessThanOrEqual(2_500);
  });

  it.each(FLOWS.slice(1))('names at most ten files to read of $name', ({ name, files, declares }) => {
    const listed = [...sectionOf(text, name).matchAll(/^\d+\. `([\w./-]+)`/gm)].map(([, file]) => file!);
    const around = OF_API.includes(name) ? filesOfRequest : [];
    expect(listed.length).toBeGreaterThan(5);
    expect(listed.length).toBeLessThanOrEqual(10);
    expect(listed.filter((file) => ![...files, ...declares, ...around].includes(file))).toEqual([]);
  });

  it('draws what is in the files of the flows', () => {
    const names = [...sectionOf(text, 'How a hit becomes a number').matchAll(/\["(\w+)<br\/>/g)].map(
      ([, name]) => name!,
    );
    const sources = FLOWS.flatMap(({ files }) => files).map((file) => readFileSync(join(root, file), 'utf8'));
    const isDefined = (name: string) =>
      sources.some((source) => new RegExp(`\\b(?:class|function|const) ${name}\\b`).test(source));
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !isDefined(name))).toEqual([]);
  });

  it('names folders and files that exist', () => {
    const paths = [...text.matchAll(/`((?:apps|libs|scripts|tools|test|docs)(?:\/[\w.-]+)*\/?)`/g)].map(
      ([, path]) => path!,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

interface Loader {
  readonly loadObserved: (helper: string) => {
    readonly helper: typeof Flows;
    readonly observer: Flows.Observer;
    readonly unload: () => void;
  };
}
