/** Bundles the console: index.html, and assets whose names hold a hash of their content; each is compressed, too. */
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { brotliCompressSync, constants, gzipSync } = require('node:zlib');
const { build } = require('esbuild');

const root = join(__dirname, '..');
const source = join(root, 'apps', 'console');
const NAME = 'assets/[name]-[hash]';

exports.bundleConsole = async (folder) => {
  rmSync(folder, { recursive: true, force: true });
  // no module: it runs before anything is shown
  const start = await bundle(folder, { start: 'start.ts' }, { format: 'iife' });
  const entries = { main: 'main.tsx', style: 'console.css', icon: 'icon.svg' };
  const page = await bundle(folder, entries, { format: 'esm', splitting: true, plugins: [pagesInOneFile] });
  writeFileSync(join(folder, 'index.html'), indexHtml(folder, { ...start, ...page }));
  compress(join(folder, 'index.html'));
  for (const file of Object.keys({ ...start, ...page })) compress(join(root, file));
};

/** All pages that are imported when they are opened: a file for each would be dozens of small ones with what they share. */
const pagesInOneFile = {
  name: 'pages-in-one-file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.page$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: 'pages', namespace: 'pages' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'pages' }, () => ({
      contents: pages()
        .map((file) => `export * from './${file}';`)
        .join('\n'),
      resolveDir: join(source, 'src', 'pages'),
    }));
  },
};

const pages = () =>
  readdirSync(join(source, 'src', 'pages'), { recursive: true })
    .filter((file) => file.endsWith('.page.tsx'))
    .map((file) => file.replaceAll('\\', '/'));

/** The files that it makes, by their paths in the repository. */
async function bundle(folder, entries, options) {
  const { metafile } = await build({
    ...options,
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(source, 'src', file)])),
    outdir: folder,
    absWorkingDir: root,
    entryNames: NAME,
    chunkNames: NAME,
    bundle: true,
    minify: true,
    metafile: true,
    target: 'es2022',
    jsx: 'automatic',
    loader: { '.svg': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return metafile.outputs;
}

/** The page with the addresses of what it loads at first. */
function indexHtml(folder, outputs) {
  const addressOf = (file) => `/console/${relative(folder, join(root, file))}`;
  const entry = (start) => Object.keys(outputs).find((file) => addressOf(file).startsWith(`/console/assets/${start}-`));
  const chunks = outputs[entry('main')].imports.filter(({ kind }) => kind === 'import-statement');
  const preloads = chunks.map(({ path }) => `<link rel="modulepreload" href="${addressOf(path)}" />`).join('\n    ');
  return readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{preloads}', preloads)
    .replaceAll(/\{(\w+)\}/g, (_, name) => addressOf(entry(name)));
}

function compress(file) {
  const content = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}
