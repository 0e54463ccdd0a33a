/** Bundles the console: index.html, and assets whose names hold a hash of their content; each is compressed, too. */
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { brotliCompressSync, constants, gzipSync } = require('node:zlib');
const { build } = require('esbuild');
const { drawings } = require('./console-drawings.cjs');

const root = join(__dirname, '..');
const source = join(root, 'apps', 'console');
const NAME = 'assets/[name]-[hash]';
/** Stands in for React, also in its libraries: the page loads a third less, and runs it sooner. */
const PREACT = {
  react: 'preact/compat',
  'react-dom': 'preact/compat',
  'react-dom/client': 'preact/compat/client',
  'react/jsx-runtime': 'preact/jsx-runtime',
};

exports.bundleConsole = async (folder) => {
  rmSync(folder, { recursive: true, force: true });
  const entries = { main: 'main.tsx', style: 'console.css', icon: 'icon.svg' };
  const page = await bundle(folder, entries, {
    format: 'esm',
    splitting: true,
    plugins: [pagesByGroup, drawings(folder)],
  });
  writeFileSync(join(folder, 'index.html'), indexHtml(folder, page.metafile.outputs, await startScript(folder)));
  compress(join(folder, 'index.html'));
  for (const file of readdirSync(join(folder, 'assets'))) compress(join(folder, 'assets', file));
};

/** The script in the page: it runs before anything else is loaded, as no module would. */
async function startScript(folder) {
  const { outputFiles } = await bundle(folder, { start: 'start.ts' }, { format: 'iife', write: false });
  return outputFiles[0].text.trim();
}

/** By folder; all others are together. */
const GROUPS = { website: 'website', websites: 'website', links: 'links' };
const PAGES = join(source, 'src', 'pages');
const groupOf = (file) => GROUPS[file.split('/')[0]] ?? 'organization';

/** Pages and menus that are imported when they are opened, those of a group in one file: one for each would be dozens of small ones. */
const pagesByGroup = {
  name: 'pages-by-group',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.(page|menu)$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: fileOfGroup(join(resolveDir, path)), namespace: 'pages' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'pages' }, ({ path }) => ({
      contents: pages()
        .filter((file) => fileOfGroup(join(PAGES, file)) === path)
        .map((file) => `export * from './${file}';`)
        .join('\n'),
      resolveDir: PAGES,
    }));
  },
};

/** The name of a group with the kind of its files: pages or menus. */
const fileOfGroup = (file) => `${groupOf(fileIn(file))}-${/\.(page|menu)(?:\.tsx)?$/.exec(file)[1]}s`;

const fileIn = (file) => relative(PAGES, file).replaceAll('\\', '/');

const pages = () =>
  readdirSync(PAGES, { recursive: true })
    .filter((file) => /\.(page|menu)\.tsx$/.test(file))
    .map((file) => file.replaceAll('\\', '/'));

function bundle(folder, entries, options) {
  return build({
    ...options,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, 'src', file)])),
    outdir: folder,
    absWorkingDir: root,
    entryNames: NAME,
    chunkNames: NAME,
    assetNames: NAME,
    publicPath: '/console',
    bundle: true,
    minify: true,
    metafile: true,
    target: 'es2022',
    jsx: 'automatic',
    loader: { '.svg': 'copy' },
    alias: PREACT,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
}

/** The page with the addresses of what it loads at first, and its script. */
function indexHtml(folder, outputs, script) {
  const addressOf = (file) => `/console/${relative(folder, join(root, file))}`;
  const entry = (start) => Object.keys(outputs).find((file) => addressOf(file).startsWith(`/console/assets/${start}-`));
  const chunks = outputs[entry('main')].imports.filter(({ kind }) => kind === 'import-statement');
  const preloads = chunks.map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}" />`).join('\n    ');
  return readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{preloads}', preloads)
    .replaceAll(/\{(icon|style|main)\}/g, (_, name) => addressOf(entry(name)))
    .replace('<script src="{start}"></script>', () => `<script>${script}</script>`);
}

function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}
