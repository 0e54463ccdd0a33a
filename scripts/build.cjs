/** Compiles everything to dist/, unless dist/ was compiled from exactly these sources. */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { buildSync } = require('esbuild');

const root = join(__dirname, '..');
const stamp = join(root, 'dist', '.compiled-from');
const sources = ['apps', 'libs', 'scripts', 'bench'];
const settings = ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

const now = fingerprint();
if (now !== compiledFrom()) {
  console.error('Compiling …');
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  const { status } = spawnSync(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  bundleBrowserScript();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, now);
}

/** One file for browsers, from the folder that only they run. */
function bundleBrowserScript() {
  const folder = ['apps', 'tracker', 'browser'];
  buildSync({
    entryPoints: [join(root, ...folder, 'main.ts')],
    outfile: join(root, 'dist', ...folder, 'tracker.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2020',
  });
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
  for (const file of [...settings, ...sources.flatMap(sourcesIn)].sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}
