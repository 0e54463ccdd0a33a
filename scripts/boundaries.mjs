/** Checks all imports: by the rules of .dependency-cruiser.cjs, and for cycles between folders. */
import { dirname } from 'node:path/posix';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';

/** Folders whose own files both import the folders in them and are imported by these. None may be added. */
const MIXED = new Set([
  'apps/api/src',
  'apps/api/src/flags',
  'apps/api/src/agents',
  'apps/api/src/identity/oauth',
  'apps/api/src/shares',
  'apps/api/src/status',
  'apps/console/src/pages/website',
  'apps/projector/src',
  'apps/projector/src/projections',
  'apps/tracker/src',
  'libs/contracts/src',
  'scripts/supervisor',
  'tools/bench',
]);

const options = await extractOptions('./.dependency-cruiser.cjs');
const { modules, summary } = (await cruise(['apps', 'libs', 'scripts', 'tools', 'test'], options)).output;
const violations = [
  ...summary.violations.map(
    ({ rule, from, to, cycle }) => `${rule.name}: ${[from, ...(cycle?.map(({ name }) => name) ?? [to])].join(' → ')}`,
  ),
  // specs stand beside the code and use test/, which uses the code
  ...folderCycles(modules.filter(({ source }) => !source.endsWith('.spec.ts'))),
  // the first question waits until a thread has loaded all that it runs
  ...loadedBy(
    'no-more-than-the-library-in-threads',
    'libs/aggregation/src/worker.ts',
    /^(?!libs\/(aggregation|contracts)\/|node_modules\/piscina|[a-z_/:]+$)/,
  ),
  // it decides nothing, and keeps records in memory by their stored fields alone
  ...loadedBy('no-decider-in-the-tracker', 'apps/tracker/src/main.ts', /\.decider\.ts$/),
];
for (const violation of violations) console.error(violation);
console.log(
  `${violations.length} violations in ${modules.length} modules, ${summary.totalDependenciesCruised} imports`,
);
process.exitCode = violations.length > 0 ? 1 : 0;

/** The way over imports from a file to each module whose path matches, but for those of types alone. */
function loadedBy(rule, file, unwanted) {
  const imports = new Map(modules.map(({ source, dependencies }) => [source, dependencies]));
  const ways = new Map([[file, [file]]]);
  for (const [from, way] of ways)
    for (const { resolved, dependencyTypes } of imports.get(from) ?? [])
      if (!dependencyTypes.includes('type-only') && !ways.has(resolved)) ways.set(resolved, [...way, resolved]);
  return [...ways.values()].filter((way) => unwanted.test(way.at(-1))).map((way) => `${rule}: ${way.join(' → ')}`);
}

/** The shortest way from each folder back to itself, where there is one; each set of folders once. */
function folderCycles(modules) {
  const imports = importsOfFolders(modules);
  const cycles = new Map();
  for (const folder of imports.keys()) {
    const cycle = wayBack(imports, folder);
    if (cycle) cycles.set(cycle.slice(1).sort().join(), `no-folder-cycles: ${cycle.join(' → ')}`);
  }
  return cycles.values();
}

/** By folder: the folders of what it and the folders in it import from outside, and what its own files import of folders in it. */
function importsOfFolders(modules) {
  const imports = new Map();
  for (const { source, dependencies } of modules) {
    for (let folder = dirname(source); folder !== '.'; folder = dirname(folder)) {
      const folders = dependencies.map(({ resolved }) => dirname(resolved));
      const seesFoldersIn = folder === dirname(source) && !MIXED.has(folder);
      const others = folders.filter((other) => other !== folder && (seesFoldersIn || !other.startsWith(`${folder}/`)));
      imports.set(folder, new Set([...(imports.get(folder) ?? []), ...others]));
    }
  }
  return imports;
}

function wayBack(imports, start) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of imports.get(way.at(-1)) ?? []) {
      if (next === start) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return undefined;
}
