/** Compiles everything to dist/, unless dist/ was compiled from exactly these sources. */
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const { minifySync, transformFileSync } = require('@swc/core');
const { buildSync } = require('esbuild');
const { bundleConsole } = require('./bundle-console.cjs');
const { swcOptions } = require('./swc-options.cjs');

const root = join(__dirname, '..');
const stamp = join(root, 'dist', '.compiled-from');
const browserScript = join('apps', 'tracker', 'browser');
const consoleFolder = join('apps', 'console');
/** No process of the product runs these. */
const notCompiled = [browserScript, consoleFolder, join('libs', 'client')];
/** The console has styles and a page besides scripts. */
const SOURCE = /\.(tsx?|css|svg|html)$/;
const settings = [
  'package-lock.json',
  'tsconfig.json',
  ...['build.cjs', 'bundle-console.cjs', 'console-drawings.cjs', 'swc-options.cjs'].map((file) =>
    join('scripts', file),
  ),
];
/** Images are built without the tools. */
const sources = ['apps', 'libs', 'scripts', 'tools']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap(sourcesIn);

const { paths } = require('../tsconfig.json').compilerOptions;

void compileAll();

async function compileAll() {
  const now = fingerprint();
  if (now === compiledFrom()) return;
  console.error('Compiling …');
  for (const file of sources) if (!notCompiled.some((folder) => file.startsWith(folder))) compile(file);
  bundleBrowserScript();
  await bundleConsole(join(root, 'dist', consoleFolder));
  writeFileSync(stamp, now);
}

/** One file to its place in dist/, with a source map; imports of libraries become relative. */
function compile(file) {
  const compiled = join(root, 'dist', file.replace(/\.ts$/, '.js'));
  const folder = dirname(compiled);
  const { code, map } = transformFileSync(join(root, file), {
    ...swcOptions,
    jsc: { ...swcOptions.jsc, baseUrl: root, paths },
    // the annotation names all exports to import(), which stays as it is for packages that only it loads
    module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
    sourceMaps: true,
    inlineSourcesContent: false,
    sourceFileName: relative(folder, join(root, file)),
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(compiled, `${code}//# sourceMappingURL=${basename(compiled)}.map\n`);
  writeFileSync(`${compiled}.map`, map);
}

/** One file for browsers, from the folder that only they run. */
function bundleBrowserScript() {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, browserScript, 'main.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  });
  // esbuild's own minifier leaves it 5 % longer when compressed
  const { code } = minifySync(outputFiles[0].text, { compress: { passes: 3 }, mangle: true, module: false });
  const folder = join(root, 'dist', browserScript);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tracker.js'), code);
}

function compiledFrom() {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  for (const file of [...settings, ...sources].sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name) && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}
